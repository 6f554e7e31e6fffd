import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { describeImage, writeArchive } from './archive.ts';
import { forgetOldLayers, makeLayer } from './layer.ts';
import { CONFIGURATIONS } from './recipes.ts';
import { file, tree } from './tree.ts';

const place = mkdtempSync(join(tmpdir(), 'berth-archive-'));
afterAll(() => rmSync(place, { recursive: true, force: true }));

const configuration = CONFIGURATIONS.shipped('whoami');

async function makeImage(cache: string, content = 'hello') {
  const layers = [
    { comment: 'below', ...(await makeLayer(tree(file('etc/passwd', 'root')), cache)) },
    { comment: 'above', ...(await makeLayer(tree(file('image/main.mjs', content)), cache)) },
  ];
  return describeImage({
    reference: 'registry.example:5000/berth/whoami:1',
    architecture: 'amd64',
    configuration,
    layers,
  });
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describe('the archive of an image', () => {
  it('is an OCI layout in which everything is called by its hash, with the name that containerd imports it under', async () => {
    const image = await makeImage(join(place, 'cache'));
    const archive = join(place, 'whoami.tar');
    expect(writeArchive(image, archive)).toBe(true);
    const to = join(place, 'unpacked');
    mkdirSync(to);
    execFileSync('tar', ['--extract', '--file', archive, '--directory', to]);
    const read = (path: string) => JSON.parse(readFileSync(join(to, path), 'utf8'));
    const blob = (digest: string) => join('blobs', digest.replace(':', '/'));

    expect(read('oci-layout')).toEqual({ imageLayoutVersion: '1.0.0' });
    const [found] = read('index.json').manifests;
    expect(found).toMatchObject({
      digest: image.digest,
      platform: { architecture: 'amd64', os: 'linux' },
      annotations: {
        'io.containerd.image.name': 'registry.example:5000/berth/whoami:1',
        'org.opencontainers.image.ref.name': '1',
      },
    });
    const manifest = read(blob(found.digest));
    const config = read(blob(manifest.config.digest));
    expect(config.config.User).toBe('10001:10001');
    expect(config.config.Entrypoint.at(-1)).toBe('/image/main.mjs');
    expect(config.rootfs.diff_ids).toHaveLength(2);
    expect(manifest.layers).toHaveLength(2);
    for (const name of readdirSync(join(to, 'blobs/sha256'))) {
      expect(sha256(readFileSync(join(to, 'blobs/sha256', name)))).toBe(name);
    }
    for (const each of [manifest.config, ...manifest.layers]) {
      expect(readFileSync(join(to, blob(each.digest))).length).toBe(each.size);
    }
    expect(read('manifest.json')[0].RepoTags).toEqual(['registry.example:5000/berth/whoami:1']);
  });

  it('is the same to the last bit when it is made again elsewhere', async () => {
    const [one, other] = ['one', 'other'].map((name) => join(place, name));
    for (const [index, cache] of ['cache-one', 'cache-other'].entries()) {
      writeArchive(await makeImage(join(place, cache)), [one, other][index]!);
    }
    expect(readFileSync(one!).equals(readFileSync(other!))).toBe(true);
  });

  it('is left as it is when nothing has changed, and replaced when something has', async () => {
    const cache = join(place, 'cache');
    const archive = join(place, 'again.tar');
    expect(writeArchive(await makeImage(cache), archive)).toBe(true);
    expect(writeArchive(await makeImage(cache), archive)).toBe(false);
    expect(writeArchive(await makeImage(cache, 'changed'), archive)).toBe(true);
  });
});

describe('the cache of layers', () => {
  it('forgets what nobody has asked for in a month', async () => {
    const cache = join(place, 'forgetful');
    const { path } = await makeLayer(tree(file('a', 'a')), cache);
    const old = join(cache, 'layers', 'old.tar.gz');
    writeFileSync(old, '');
    utimesSync(old, new Date(0), new Date(0));
    forgetOldLayers(cache);
    expect(readdirSync(join(cache, 'layers')).map((name) => join(cache, 'layers', name))).toEqual([path]);
  });
});
