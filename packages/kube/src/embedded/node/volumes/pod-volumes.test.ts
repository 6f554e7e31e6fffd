import { mkdtempSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Container, Pod, Volume, VolumeMount } from '../../../schema/kinds/pod.ts';
import type { KubeObject } from '../../../schema/object.ts';
import { linkMounts, preparePodVolumes } from './pod-volumes.ts';

const directories: string[] = [];
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});

const PEM = '-----BEGIN KEY-----\r\nMIIB$(A)\n-----END KEY-----\n';
const object = (kind: string, data: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name: 'files' },
  data,
});

function set(volumes: Volume[], volumeMounts: VolumeMount[]) {
  const directory = mkdtempSync(join(tmpdir(), 'volumes-'));
  directories.push(directory);
  const container: Container = { name: 'web', image: 'web', volumeMounts };
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web-1', namespace: 'shop', labels: { app: 'web' } },
    spec: { containers: [container], volumes },
  };
  const objects: Record<string, KubeObject | undefined> = {};
  const root = join(directory, 'root');
  const run = async () => {
    const input = {
      pod,
      directory: join(directory, 'volumes'),
      user: undefined,
      addresses: { nodeName: 'n', hostIP: '127.0.0.1', podIP: '127.64.0.1' },
      source: { configMap: () => objects.configMap, secret: () => objects.secret },
      claimDirectory: (_namespace: string, claim: string) => join(directory, 'claims', claim),
    };
    const made = await preparePodVolumes(input);
    await linkMounts(input, container, { root, volumes: made, environment: { NAME: 'x' } });
  };
  return { root, run, objects, directory };
}

describe('the files of a pod', () => {
  it('from a Secret are byte for byte what was put in, keys that no variable could have too', async () => {
    const test = set([{ name: 'v', secret: { secretName: 'files' } }], [{ name: 'v', mountPath: '/etc/keys' }]);
    const bytes = Buffer.from([0, 255, 10, 13]);
    test.objects.secret = object('Secret', {
      'spring.datasource.url': Buffer.from(PEM).toString('base64'),
      '1bad': bytes.toString('base64'),
    });
    await test.run();
    expect(readFileSync(join(test.root, 'etc/keys/spring.datasource.url'), 'utf8')).toBe(PEM);
    expect(readFileSync(join(test.root, 'etc/keys/1bad')).equals(bytes)).toBe(true);
  });

  it('change all at once when their ConfigMap changes, and not at all when it does not', async () => {
    const test = set([{ name: 'v', configMap: { name: 'files' } }], [{ name: 'v', mountPath: '/etc/app' }]);
    test.objects.configMap = object('ConfigMap', { a: '1', b: '1' });
    await test.run();
    const before = readlinkSync(join(test.directory, 'volumes/v/..data'));
    await test.run();
    expect(readlinkSync(join(test.directory, 'volumes/v/..data'))).toBe(before);
    test.objects.configMap = object('ConfigMap', { a: '2', c: '2' });
    await test.run();
    expect(readFileSync(join(test.root, 'etc/app/a'), 'utf8')).toBe('2');
    expect(readFileSync(join(test.root, 'etc/app/c'), 'utf8')).toBe('2');
    expect(() => readFileSync(join(test.root, 'etc/app/b'))).toThrow(/ENOENT/);
  });

  it('have chosen keys, paths and modes, and subPath gives one file', async () => {
    const items = [{ key: 'a', path: 'deep/file', mode: 0o400 }];
    const test = set(
      [{ name: 'v', configMap: { name: 'files', items } }],
      [{ name: 'v', mountPath: '/etc/one.conf', subPath: 'deep/file' }],
    );
    test.objects.configMap = object('ConfigMap', { a: 'content' });
    await test.run();
    expect(readFileSync(join(test.root, 'etc/one.conf'), 'utf8')).toBe('content');
    expect(statSync(join(test.directory, 'volumes/v/deep/file')).mode & 0o777).toBe(0o400);
  });

  it('in an emptyDir or a claim stay over a second look', async () => {
    const test = set(
      [
        { name: 'e', emptyDir: {} },
        { name: 'p', persistentVolumeClaim: { claimName: 'data' } },
      ],
      [
        { name: 'e', mountPath: '/scratch' },
        { name: 'p', mountPath: '/data', subPathExpr: 'for-$(NAME)' },
      ],
    );
    await test.run();
    writeFileSync(join(test.root, 'scratch/a'), 'a');
    writeFileSync(join(test.root, 'data/b'), 'b');
    await test.run();
    expect(readFileSync(join(test.root, 'scratch/a'), 'utf8')).toBe('a');
    expect(readFileSync(join(test.directory, 'claims/data/for-x/b'), 'utf8')).toBe('b');
  });

  it('of the downward API tell the pod about itself', async () => {
    const test = set(
      [{ name: 'd', downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } }],
      [{ name: 'd', mountPath: '/info' }],
    );
    await test.run();
    expect(readFileSync(join(test.root, 'info/labels'), 'utf8')).toBe('app="web"');
  });

  it.each([
    ['a missing ConfigMap', { name: 'v', configMap: { name: 'none' } }, /configmap "none" not found/],
    ['a host path', { name: 'v', hostPath: { path: '/etc' } }, /hostPath is not supported by this node/],
    [
      'a path out of the volume',
      { name: 'v', downwardAPI: { items: [{ path: '../x', fieldRef: { fieldPath: 'metadata.name' } }] } },
      /leads out/,
    ],
  ])('are refused for %s', async (_name, volume, message) => {
    await expect(set([volume as Volume], []).run()).rejects.toThrow(message);
  });

  it('are refused where one mount lies in another', async () => {
    const test = set(
      [
        { name: 'e', emptyDir: {} },
        { name: 'f', emptyDir: {} },
      ],
      [
        { name: 'e', mountPath: '/a' },
        { name: 'f', mountPath: '/a/b' },
      ],
    );
    await expect(test.run()).rejects.toThrow(/lies inside mount/);
  });
});
