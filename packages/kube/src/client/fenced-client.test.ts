import { expect, test } from 'vitest';
import type { KubeObject } from '../schema/object.ts';
import { CONFIG_MAP } from '../schema/resources.ts';
import type { KubeClient, RequestOptions } from './client.ts';
import { fencedClient } from './fenced-client.ts';

const at = { name: 'settings', namespace: 'team' };
const object: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: at };

/** Writes arrive when their permission has been asked, as the real client does just before it sends. */
function makeClient() {
  const arrived: string[] = [];
  let beforeSending = () => Promise.resolve();
  const verb =
    (name: string, length: number) =>
    async (...parameters: unknown[]) => {
      await beforeSending();
      (parameters[length - 1] as RequestOptions | undefined)?.permit?.();
      arrived.push(name);
      return object;
    };
  const client = {
    ...{ get: verb('get', 3), list: verb('list', 2), create: verb('create', 3), replace: verb('replace', 3) },
    ...{ patch: verb('patch', 4), apply: verb('apply', 3), delete: verb('delete', 3) },
  } as unknown as KubeClient;
  return { client, arrived, hold: (until: () => Promise<void>) => (beforeSending = until) };
}

function everyWrite(client: KubeClient): Promise<unknown>[] {
  return [
    client.create(CONFIG_MAP, object),
    client.replace(CONFIG_MAP, object),
    client.patch(CONFIG_MAP, at, { type: 'merge', body: {} }),
    client.apply(CONFIG_MAP, object, { fieldManager: 'test' }),
    client.delete(CONFIG_MAP, at),
  ];
}

test('while it leads everything passes', async () => {
  const { client, arrived } = makeClient();
  await Promise.all(everyWrite(fencedClient(client, { isOpen: () => true })));
  expect(arrived).toEqual(['create', 'replace', 'patch', 'apply', 'delete']);
});

test('afterwards reads pass and no write does', async () => {
  const { client, arrived } = makeClient();
  const fenced = fencedClient(client, { isOpen: () => false });
  await fenced.get(CONFIG_MAP, at);
  await fenced.list(CONFIG_MAP);
  for (const write of everyWrite(fenced)) await expect(write).rejects.toMatchObject({ code: 409 });
  expect(arrived).toEqual(['get', 'list']);
});

test('leadership that ends between the call and its sending stops the write', async () => {
  const { client, arrived, hold } = makeClient();
  let open = true;
  hold(async () => {
    open = false;
  });
  const writes = everyWrite(fencedClient(client, { isOpen: () => open }));
  for (const write of await Promise.allSettled(writes)) expect(write.status).toBe('rejected');
  expect(arrived).toEqual([]);
});
