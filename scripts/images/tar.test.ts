import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { tarOf } from './tar.ts';
import { directory, file, folder, link, tree, writable } from './tree.ts';

const place = mkdtempSync(join(tmpdir(), 'berth-tar-'));
afterAll(() => rmSync(place, { recursive: true, force: true }));

const LONG = `${'folder/'.repeat(30)}${'é'.repeat(60)}.js`;

describe('a tar archive', () => {
  it('is read by tar: names of any length, links, modes, content', () => {
    const entries = tree(
      file('bin/run', '#!/bin/sh\n', { mode: 0o755 }),
      file(LONG, 'far down'),
      link('short', LONG),
      link('lib', 'usr/lib'),
      writable('tmp'),
      directory('empty'),
    );
    const archive = join(place, 'all.tar');
    const to = join(place, 'all');
    mkdirSync(to);
    writeFileSync(archive, tarOf(entries));
    execFileSync('tar', ['--extract', '--same-permissions', '--file', archive, '--directory', to]);
    expect(readFileSync(join(to, LONG), 'utf8')).toBe('far down');
    expect(readFileSync(join(to, 'short'), 'utf8')).toBe('far down');
    const listed = execFileSync('tar', ['--list', '--verbose', '--numeric-owner', '--file', archive]).toString();
    expect(listed).toMatch(/^-rwxr-xr-x 0\/0 +10 .* bin\/run$/m);
    expect(listed).toMatch(/^drwxrwxrwt 0\/0 .* tmp\/$/m);
    expect(listed).toMatch(/^drwxr-xr-x 0\/0 .* empty\/$/m);
    expect(listed).toMatch(/^lrwxrwxrwx 0\/0 .* lib -> usr\/lib$/m);
  });

  it('is the same whoever made the files, when, and in which order', () => {
    const make = (name: string, names: string[], mode: number, time: number): Buffer => {
      const from = join(place, name);
      mkdirSync(join(from, 'in'), { recursive: true });
      for (const each of names) {
        writeFileSync(join(from, 'in', each), each);
        chmodSync(join(from, 'in', each), mode);
        utimesSync(join(from, 'in', each), time, time);
      }
      symlinkSync('in', join(from, 'link'));
      return tarOf(tree(folder(from, 'app')));
    };
    const one = make('one', ['a', 'b', 'c'], 0o600, 1_000_000);
    const other = make('other', ['c', 'a', 'b'], 0o664, 2_000_000);
    expect(one.equals(other)).toBe(true);
  });

  it('gives files of one size another time when their content is another', () => {
    const timeOf = (content: string): string => tarOf([file('index.html', content)]).toString('latin1', 136, 147);
    expect(timeOf('version 1')).not.toBe(timeOf('version 2'));
    expect(timeOf('version 1')).toBe(timeOf('version 1'));
    expect(Number.parseInt(timeOf('version 1'), 8) * 1000).toBeLessThan(Date.now());
  });
});

describe('a tree', () => {
  it('holds every folder that an entry lies in, sorted', () => {
    const paths = tree(file('b/c/d', ''), [file('a', '')]).map(({ path }: { path: string }) => path);
    expect(paths).toEqual(['a', 'b', 'b/c', 'b/c/d']);
  });

  it('refuses a file that is there twice', () => {
    expect(() => tree(file('etc/passwd', 'one'), file('etc/passwd', 'other'))).toThrow(
      'etc/passwd is in the image twice',
    );
  });

  it('takes a folder of this machine without what is not wanted', () => {
    const from = join(place, 'kept');
    mkdirSync(join(from, 'sub'), { recursive: true });
    for (const name of ['a.js', 'a.js.map', 'sub/b.js']) writeFileSync(join(from, name), '');
    const entries = folder(from, 'app', (path: string) => !path.endsWith('.map'));
    expect(entries.map(({ path }: { path: string }) => path).sort()).toEqual(['app/a.js', 'app/sub/b.js']);
  });
});
