import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EmbeddedScene, startEmbeddedScene } from '../embedded/testing/embedded-scene.ts';
import { CONFIG_MAP } from '../schema/resources.ts';
import { createGreeter } from './example.ts';
import { createSilentLogger } from './testing/silent-logger.ts';
import { until } from './testing/until.ts';

let scene: EmbeddedScene;
beforeAll(async () => {
  scene = await startEmbeddedScene();
});
afterAll(() => scene.end());

test('the greeter of the README greets, follows changes, repairs, and is quiet when nothing changes', async () => {
  const { client, namespace } = scene;
  const { controller, stop } = createGreeter(client, createSilentLogger());
  await controller.start();
  const metadata = { name: 'guest', namespace, labels: { greet: 'world' } };
  await client.create(CONFIG_MAP, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
  const read = () => client.get(CONFIG_MAP, { name: 'guest-greeting', namespace }).catch(() => undefined);
  const says = async (text: string) =>
    (await read())?.data !== undefined && JSON.stringify((await read())?.data).includes(text);
  await until(() => says('Hello, world!'));

  const rename = { metadata: { labels: { greet: 'moon' } } };
  await client.patch(CONFIG_MAP, { name: 'guest', namespace }, { type: 'merge', body: rename });
  await until(() => says('Hello, moon!'));

  await client.patch(
    CONFIG_MAP,
    { name: 'guest-greeting', namespace },
    { type: 'merge', body: { data: { text: 'rude' } } },
  );
  await until(() => says('Hello, moon!'));

  const before = (await read())?.metadata.resourceVersion;
  controller.enqueue(`${namespace}/guest`);
  await client.create(CONFIG_MAP, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...metadata, name: 'second' } });
  await until(async () => (await client.list(CONFIG_MAP, { namespace, labelSelector: 'greeting' })).items.length === 2);
  expect((await read())?.metadata.resourceVersion).toBe(before);
  await stop();
});

test('the README shows the greeter as it is', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const example = await readFile(new URL('./example.ts', import.meta.url), 'utf8');
  const body = example.slice(example.indexOf('/** Keeps a greeting'));
  expect(readme).toContain(body.trim());
});
