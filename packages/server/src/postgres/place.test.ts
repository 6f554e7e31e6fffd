import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { databasePlace, databaseUrl, preparePlace, recordMade } from './place.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newFolder(mode = 0o755): string {
  const folder = mkdtempSync(join(tmpdir(), 'berth-place-'));
  folders.push(folder);
  chmodSync(folder, mode);
  return folder;
}

const asRoot = process.getuid?.() === 0;

describe('the place of the database', () => {
  it('is the data directory, when the path of a socket there is short enough', () => {
    const directory = newFolder();
    const place = databasePlace(directory);
    expect(place.dataDirectory).toBe(join(directory, 'postgres'));
    expect(place.socketDirectory).toBe(join(directory, 'socket'));
    expect(JSON.parse(readFileSync(place.recordFile, 'utf8'))).toEqual({
      dataDirectory: 'postgres',
      socketDirectory: 'socket',
      made: false,
    });
  });

  it('moves the socket when its path would be too long in bytes', () => {
    const temporaryDirectory = newFolder();
    const directory = join(newFolder(), 'ü'.repeat(40));
    mkdirSync(directory);
    const place = databasePlace(directory, { temporaryDirectory });
    expect(place.socketDirectory).toMatch(new RegExp(`^${temporaryDirectory}/berth-[0-9a-f]{16}$`));
    expect(databasePlace(directory, { temporaryDirectory }).socketDirectory).toBe(place.socketDirectory);
  });

  it('keeps the socket to its owner, and refuses a folder that is somebody else’s', () => {
    const place = databasePlace(newFolder());
    preparePlace(place);
    expect(statSync(place.socketDirectory).mode & 0o777).toBe(0o700);
    const file = join(newFolder(), 'file');
    writeFileSync(file, '');
    expect(() => preparePlace({ ...place, socketDirectory: file })).toThrow(/EEXIST|somebody else/);
  });

  it('refuses to start empty where there was a database', () => {
    const directory = newFolder();
    recordMade(databasePlace(directory));
    expect(() => databasePlace(directory)).toThrow('is gone: put it back');
  });

  it('finds its database without the note of it, and still does not start empty', () => {
    const directory = newFolder();
    const { dataDirectory, recordFile } = databasePlace(directory);
    writeFileSync(recordFile, '{"dataDirectory":"post');
    expect(() => databasePlace(directory)).toThrow('is gone: put it back');
    mkdirSync(dataDirectory);
    writeFileSync(join(dataDirectory, 'PG_VERSION'), '18');
    expect(databasePlace(directory).dataDirectory).toBe(dataDirectory);
    expect(JSON.parse(readFileSync(recordFile, 'utf8'))).toMatchObject({ dataDirectory: 'postgres', made: true });
  });

  it('writes an address that any folder fits in', () => {
    const url = databaseUrl({ socketDirectory: '/a b/ü&?#' }, 'berth');
    expect(new URL(url.replace('@/', '@x/')).searchParams.get('host')).toBe('/a b/ü&?#');
  });

  it.runIf(asRoot)('moves to a shared folder when root’s database user cannot enter the data directory', () => {
    const sharedDirectory = newFolder();
    const directory = join(newFolder(0o700), 'data');
    mkdirSync(directory);
    const place = databasePlace(directory, { sharedDirectory });
    expect(place.user).toBeDefined();
    expect(place.dataDirectory.startsWith(`${sharedDirectory}/`)).toBe(true);
    chmodSync(join(directory, '..'), 0o755);
    expect(databasePlace(directory, { sharedDirectory }).dataDirectory).toBe(place.dataDirectory);
  });

  it.runIf(asRoot)('does not share that folder with a copy of the data directory', () => {
    const sharedDirectory = newFolder();
    const parent = newFolder(0o700);
    const [first, second] = [join(parent, 'first'), join(parent, 'second')];
    mkdirSync(first);
    mkdirSync(second);
    const { recordFile } = databasePlace(first, { sharedDirectory });
    writeFileSync(join(second, 'postgres.json'), readFileSync(recordFile));
    expect(() => databasePlace(second, { sharedDirectory })).toThrow('seems to be a copy');
    rmSync(first, { recursive: true });
    expect(existsSync(databasePlace(second, { sharedDirectory }).recordFile)).toBe(true);
  });
});
