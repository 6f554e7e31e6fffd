import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { loadKubeConfig } from './kubeconfig.ts';
import { createFakeClock } from './testing/fake-clock.ts';

const PEM = '-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\n';
const encoded = Buffer.from(PEM).toString('base64');

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
});
afterEach(() => rm(directory, { recursive: true }));

interface Parts {
  cluster?: Record<string, unknown>;
  user?: Record<string, unknown>;
  context?: Record<string, unknown>;
  root?: Record<string, unknown>;
}

async function write(parts: Parts): Promise<string> {
  const path = join(directory, 'config');
  const content = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'here',
    contexts: [{ name: 'here', context: { cluster: 'one', user: 'me', ...parts.context } }],
    clusters: [{ name: 'one', cluster: { server: 'https://127.0.0.1:6443', ...parts.cluster } }],
    users: [{ name: 'me', user: parts.user ?? {} }],
    ...parts.root,
  };
  await writeFile(path, stringify(content));
  return path;
}

test('data in the file', async () => {
  const path = await write({
    cluster: { 'certificate-authority-data': encoded, 'tls-server-name': 'api' },
    user: { 'client-certificate-data': encoded, 'client-key-data': encoded, token: 'abc' },
    context: { namespace: 'team' },
  });
  expect(await loadKubeConfig({ path })).toEqual({
    server: 'https://127.0.0.1:6443',
    ca: PEM,
    tlsServerName: 'api',
    clientCertificate: PEM,
    clientKey: PEM,
    token: 'abc',
    namespace: 'team',
  });
});

test('files are found relative to the kubeconfig', async () => {
  await writeFile(join(directory, 'ca.pem'), PEM);
  const path = await write({ cluster: { 'certificate-authority': 'ca.pem' } });
  expect((await loadKubeConfig({ path })).ca).toBe(PEM);
});

test('a context may be chosen', async () => {
  const contexts = [{ name: 'there', context: { cluster: 'one', namespace: 'far' } }];
  const path = await write({ root: { contexts } });
  expect((await loadKubeConfig({ path, context: 'there' })).namespace).toBe('far');
});

describe('what is wrong is said with file and field', () => {
  test.each<[string, Parts, string]>([
    ['no current context', { root: { 'current-context': '' } }, 'current-context is missing'],
    [
      'an unknown context',
      { root: { 'current-context': 'x' } },
      'current-context asks for "x", which is not in contexts',
    ],
    [
      'an unknown cluster',
      { context: { cluster: 'two' } },
      'contexts[here].context.cluster asks for "two", which is not in clusters',
    ],
    ['no server', { cluster: { server: undefined } }, 'clusters[one].cluster.server is missing'],
    [
      'a server that is no URL',
      { cluster: { server: 'localhost:80' } },
      'clusters[one].cluster.server "localhost:80" is not an http(s) URL',
    ],
    [
      'data that is no PEM',
      { cluster: { 'certificate-authority-data': 'AAAA' } },
      'clusters[one].cluster.certificate-authority-data is not a PEM text',
    ],
    ['a missing file', { user: { 'client-key': 'no.pem' } }, 'users[me].user.client-key names the file'],
    ['half a pair', { user: { 'client-key-data': encoded } }, 'users[me].user has only one of'],
    ['a number as token', { user: { token: 12 } }, 'users[me].user.token must be a string'],
    ['a list as user', { root: { users: [{ name: 'me', user: [] }] } }, 'users[me].user must be a mapping'],
    ['impersonation', { user: { as: 'root' } }, 'users[me].user.as is not supported'],
    ['a password', { user: { username: 'root' } }, 'users[me].user.username is not supported'],
    ['a proxy', { cluster: { 'proxy-url': 'http://p' } }, 'clusters[one].cluster.proxy-url is not supported'],
    [
      'a text as flag',
      { cluster: { 'insecure-skip-tls-verify': 'yes' } },
      'clusters[one].cluster.insecure-skip-tls-verify must be true or false',
    ],
    [
      'an old exec plugin',
      { user: { exec: { apiVersion: 'client.authentication.k8s.io/v1alpha1' } } },
      'users[me].user.exec.apiVersion',
    ],
    [
      'a missing token file',
      { user: { tokenFile: 'none' } },
      'users[me].user.tokenFile names a file that cannot be read',
    ],
  ])('%s', async (_name, parts, message) => {
    const path = await write(parts);
    const failure = await loadKubeConfig({ path }).catch((error: Error) => error);
    expect((failure as Error).message).toContain(`${path}: ${message}`);
  });

  test.each([
    ['no such file', undefined, 'cannot be read'],
    ['not YAML', 'a: [', 'is not valid YAML'],
    ['a key twice', 'kind: a\nkind: b', 'is not valid YAML'],
    ['an empty file', '', 'current-context is missing'],
    ['a list', '- a', 'must be a mapping'],
  ])('%s', async (_name, text, message) => {
    const path = join(directory, 'broken');
    if (text !== undefined) await writeFile(path, text);
    await expect(loadKubeConfig({ path })).rejects.toThrow(message);
  });
});

describe('credentials that change', () => {
  test('a token file is read again after a minute, or when refused; while unreadable the last one goes on', async () => {
    const clock = createFakeClock();
    const file = join(directory, 'token');
    await writeFile(file, 'one\n');
    const path = await write({ user: { tokenFile: 'token' } });
    const { credentials } = await loadKubeConfig({ path, clock });
    expect(await credentials!.current()).toMatchObject({ token: 'one' });
    await writeFile(file, 'two');
    expect(await credentials!.current()).toMatchObject({ token: 'one' });
    await clock.advance(61_000);
    expect(await credentials!.current()).toMatchObject({ token: 'two' });
    await writeFile(file, 'three');
    credentials!.invalidate();
    expect(await credentials!.current()).toMatchObject({ token: 'three' });
    await rm(file);
    credentials!.invalidate();
    expect(await credentials!.current()).toMatchObject({ token: 'three' });
  });

  test('a pod uses its service account', async () => {
    await mkdir(join(directory, 'sa'));
    for (const [name, text] of Object.entries({ 'ca.crt': PEM, namespace: 'team\n', token: 'abc' })) {
      await writeFile(join(directory, 'sa', name), text);
    }
    const config = await loadKubeConfig({ inCluster: { host: '::1', port: '443', directory: join(directory, 'sa') } });
    expect(config).toMatchObject({ server: 'https://[::1]:443', ca: PEM, namespace: 'team' });
    expect(await config.credentials!.current()).toEqual({ token: 'abc' });
  });

  async function writePlugin(output: string): Promise<string> {
    const script = `#!/bin/sh\necho run >> ${directory}/runs\necho "$KUBERNETES_EXEC_INFO" > ${directory}/info\n${output}\n`;
    await writeFile(join(directory, 'plugin'), script);
    await chmod(join(directory, 'plugin'), 0o755);
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: './plugin',
      args: ['x'],
      env: [{ name: 'GREETING', value: 'hi' }],
    };
    return write({ user: { exec } });
  }
  const runs = async () => (await readFile(join(directory, 'runs'), 'utf8')).trim().split('\n').length;
  const credential = (status: object) =>
    `cat <<END\n${JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status })}\nEND`;

  test('a plugin runs once for many requests, again when its credential ends or is refused', async () => {
    const clock = createFakeClock();
    const expirationTimestamp = new Date(clock.now() + 100_000).toISOString();
    const path = await writePlugin(credential({ token: '$GREETING-$1', expirationTimestamp }));
    const { credentials } = await loadKubeConfig({ path, clock });
    const both = await Promise.all([credentials!.current(), credentials!.current()]);
    expect(both).toEqual([{ token: 'hi-x' }, { token: 'hi-x' }]);
    expect(await runs()).toBe(1);
    credentials!.invalidate();
    await credentials!.current();
    expect(await runs()).toBe(2);
    await clock.advance(95_000);
    await credentials!.current();
    expect(await runs()).toBe(3);
    expect(JSON.parse(await readFile(join(directory, 'info'), 'utf8'))).toMatchObject({ kind: 'ExecCredential' });
  });

  test.each([
    ['fails', 'echo "log in first" >&2; exit 3', 'failed: log in first'],
    ['prints what is not JSON', 'echo hello', 'did not print JSON'],
    ['prints another kind', 'echo "{}"', 'did not print an ExecCredential'],
    ['prints no credential', credential({}), 'printed neither'],
  ])('a plugin that %s is named with its place in the file', async (_name, output, message) => {
    const path = await writePlugin(output);
    const { credentials } = await loadKubeConfig({ path, environment: { PATH: '/bin:/usr/bin' } });
    const failure = await credentials!.current().catch((error: Error) => error);
    expect((failure as Error).message).toContain(`${path}: users[me].user.exec`);
    expect((failure as Error).message).toContain(message);
  });
});
