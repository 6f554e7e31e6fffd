import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { makeTestCertificates } from '@berth/kube/client/testing/test-certificates';
import { SECRET } from '@berth/kube/schema/resources';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ExternalSecret } from '../../kubernetes/external-secret.ts';
import { EXTERNAL_SECRET, SECRET_STORE } from '../../kubernetes/resource-types.ts';
import type { Secret } from '../kinds.ts';
import { type OperatorScene, startOperatorScene } from '../testing/operator-scene.ts';
import { until } from '../testing/until.ts';

/** What the server's internal endpoint holds: by deployment and key. */
const values = new Map<string, string>();
let requests: string[] = [];
let internal: Server;
let ca: string;
let scene: OperatorScene;

beforeAll(async () => {
  const certificates = await makeTestCertificates();
  ca = certificates.ca;
  internal = createServer({ cert: certificates.server.cert, key: certificates.server.key }, (request, response) => {
    const path = decodeURIComponent(request.url ?? '').replace('/internal/secrets/', '');
    requests.push(path);
    const answer = (status: number, body: unknown) => response.writeHead(status).end(JSON.stringify(body));
    if (request.headers.authorization !== 'Bearer the-credential') return answer(401, {});
    const value = values.get(path);
    return value === undefined ? answer(404, {}) : answer(200, { value });
  });
  await new Promise<void>((resolve) => internal.listen(0, '127.0.0.1', resolve));
  scene = await startOperatorScene();
  await scene.startOperator({ delivery: 'built-in' });
});
beforeEach(() => {
  requests = [];
});
afterAll(async () => {
  await scene.end();
  internal.closeAllConnections();
  await new Promise((resolve) => internal.close(resolve));
});

interface StoreParts {
  credential?: string;
  labels?: Record<string, string>;
}

async function makeStore(namespace: string, parts: StoreParts = {}): Promise<void> {
  const { credential = 'the-credential', labels = { 'external-secrets.io/type': 'webhook' } } = parts;
  const webhook = {
    url: `https://localhost:${(internal.address() as AddressInfo).port}/internal/secrets/{{ .remoteRef.key }}`,
    headers: { Authorization: 'Bearer {{ .delivery.token }}' },
    result: { jsonPath: '$.value' },
    caBundle: Buffer.from(ca).toString('base64'),
    secrets: [{ name: 'delivery', secretRef: { name: 'berth-delivery' } }],
  };
  const options = { fieldManager: 'test', force: true };
  const store = { apiVersion: 'external-secrets.io/v1', kind: 'SecretStore', metadata: { name: 'berth', namespace } };
  const token = Buffer.from(credential).toString('base64');
  const metadata = { name: 'berth-delivery', namespace, labels };
  await scene.client.apply(SECRET, { apiVersion: 'v1', kind: 'Secret', metadata, data: { token } }, options);
  await scene.client.apply(SECRET_STORE, { ...store, spec: { provider: { webhook } } }, options);
}

async function makeExternalSecret(namespace: string, keys: string[], version = 'v1'): Promise<void> {
  const spec = {
    refreshInterval: '1h',
    secretStoreRef: { name: 'berth', kind: 'SecretStore' },
    target: {
      name: 'shop-web',
      template: {
        metadata: { labels: { 'berth.dev/deployment': 'shop' }, annotations: { 'berth.dev/secret-version': version } },
      },
    },
    data: keys.map((key) => ({ secretKey: key, remoteRef: { key: `shop/${key}` } })),
  };
  const metadata = { name: 'shop-web', namespace, labels: { 'berth.dev/deployment': 'shop' } };
  const object = { apiVersion: 'external-secrets.io/v1', kind: 'ExternalSecret', metadata, spec };
  await scene.client.apply(EXTERNAL_SECRET, object, { fieldManager: 'test', force: true });
}

const at = (namespace: string) => ({ name: 'shop-web', namespace });
const readSecret = (namespace: string) => scene.client.get<Secret>(SECRET, at(namespace)).catch(() => undefined);
const secretWith = (namespace: string, version: string) =>
  until(`the Secret with version ${version}`, async () => {
    const secret = await readSecret(namespace);
    return secret?.metadata.annotations?.['berth.dev/secret-version'] === version && secret;
  });
const condition = (namespace: string, status: 'True' | 'False') =>
  until(`Ready ${status}`, async () => {
    const { status: found } = await scene.client.get<ExternalSecret>(EXTERNAL_SECRET, at(namespace));
    return found?.conditions?.find((each) => each.type === 'Ready' && each.status === status);
  });
const decode = (secret: Secret) =>
  Object.fromEntries(
    Object.entries(secret.data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
  );

describe('the built-in delivery', () => {
  it('cases 1 and 2: makes a Secret of the same bytes, marked with its version', async () => {
    const namespace = await scene.newNamespace();
    const bytes = {
      hash: '$2a$12$mSNGEiOT7urQP',
      reference: '$$(A)',
      pem: '-----BEGIN-----\r\nabc\n',
      emoji: '😀 é # =x',
      empty: '',
      'odd.key-1': '{{ .remoteRef.key }}',
    };
    for (const [key, value] of Object.entries(bytes)) values.set(`shop/${key}`, value);
    await makeStore(namespace);
    await makeExternalSecret(namespace, Object.keys(bytes));
    const secret = await secretWith(namespace, 'v1');
    expect(decode(secret)).toEqual(bytes);
    expect(secret).toMatchObject({
      type: 'Opaque',
      metadata: {
        labels: { 'berth.dev/deployment': 'shop' },
        ownerReferences: [{ kind: 'ExternalSecret', name: 'shop-web' }],
      },
    });
    expect(await condition(namespace, 'True')).toMatchObject({ reason: 'SecretSynced' });
  });

  it('reads again when the version changes, and not otherwise', async () => {
    const namespace = await scene.newNamespace();
    values.set('shop/changing', 'one');
    await makeStore(namespace);
    await makeExternalSecret(namespace, ['changing']);
    await secretWith(namespace, 'v1');
    await condition(namespace, 'True');
    values.set('shop/changing', 'two');
    await makeExternalSecret(namespace, ['changing'], 'v2');
    expect(decode(await secretWith(namespace, 'v2'))).toEqual({ changing: 'two' });
    await until('the status', async () => {
      const { metadata, status } = await scene.client.get<ExternalSecret>(EXTERNAL_SECRET, at(namespace));
      return status?.syncedResourceVersion?.startsWith(`${metadata.generation}-`);
    });
    // What its own writes stirred up comes to rest first.
    await until('nothing more is read', async () => {
      requests = [];
      await new Promise((resolve) => setTimeout(resolve, 200));
      return requests.length === 0;
    });
    const body = { metadata: { annotations: { touched: 'yes' } } };
    await scene.client.patch(SECRET_STORE, { name: 'berth', namespace }, { type: 'merge', body });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(requests).not.toContain('shop/changing');
  });

  it('repairs a Secret that was changed or deleted by hand', async () => {
    const namespace = await scene.newNamespace();
    values.set('shop/a', 'right');
    await makeStore(namespace);
    await makeExternalSecret(namespace, ['a']);
    await secretWith(namespace, 'v1');
    const wrong = { data: { a: Buffer.from('wrong').toString('base64') } };
    await scene.client.patch(SECRET, at(namespace), { type: 'merge', body: wrong });
    await until('the repair', async () => decode((await readSecret(namespace))!).a === 'right');
    await scene.client.delete(SECRET, at(namespace));
    await secretWith(namespace, 'v1');
  });

  it('names the key that is not in the store, makes nothing half, and delivers once it is there', async () => {
    const namespace = await scene.newNamespace();
    values.set('shop/here', 'a');
    await makeStore(namespace);
    await makeExternalSecret(namespace, ['here', 'missing']);
    expect(await condition(namespace, 'False')).toMatchObject({
      reason: 'SecretSyncedError',
      message: 'there is no secret "shop/missing" in the store',
    });
    expect(await readSecret(namespace)).toBeUndefined();
    values.set('shop/missing', 'b');
    await makeExternalSecret(namespace, ['here', 'missing'], 'v2');
    expect(decode(await secretWith(namespace, 'v2'))).toEqual({ here: 'a', missing: 'b' });
  });

  it('says that the store is missing, and delivers when it comes', async () => {
    const namespace = await scene.newNamespace();
    values.set('shop/a', 'x');
    await makeExternalSecret(namespace, ['a']);
    expect((await condition(namespace, 'False')).message).toContain('SecretStore berth is missing');
    await makeStore(namespace);
    await secretWith(namespace, 'v1');
  });

  it('says that the credential is refused, and sends none that is not meant to be sent', async () => {
    const refused = await scene.newNamespace();
    await makeStore(refused, { credential: 'wrong' });
    await makeExternalSecret(refused, ['a']);
    expect((await condition(refused, 'False')).message).toContain("refuses the namespace's credential");
    const unmarked = await scene.newNamespace();
    await makeStore(unmarked, { labels: {} });
    await makeExternalSecret(unmarked, ['never-asked']);
    expect((await condition(unmarked, 'False')).message).toContain(
      'must carry the label external-secrets.io/type: webhook',
    );
    expect(requests).not.toContain('shop/never-asked');
  });

  it('never takes over a Secret of somebody else', async () => {
    const namespace = await scene.newNamespace();
    values.set('shop/a', 'ours');
    const theirs = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'shop-web', namespace },
      data: { a: 'dGhlaXJz' },
    };
    await scene.client.create(SECRET, theirs);
    await makeStore(namespace);
    await makeExternalSecret(namespace, ['a']);
    expect((await condition(namespace, 'False')).message).toBe(
      'Secret shop-web exists and is not of this ExternalSecret; delete or rename it',
    );
    expect(decode((await readSecret(namespace))!)).toEqual({ a: 'theirs' });
  });
});
