import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../testing/start-test-server.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
/** Together more than what the sockets of both sides take in while nobody reads. */
const LARGE = { data: { text: 'x'.repeat(1_000_000) } };
const LARGE_COUNT = 16;

let test: TestServer;
beforeEach(async () => {
  test = await startTestServer();
});
afterEach(() => test.close());

it('survives what changes after a watch has run out and before its slow reader has taken the rest', async () => {
  for (let index = 0; index < LARGE_COUNT; index++) await make(`large-${index}`, LARGE);
  const unread = await watch(`${CONFIG_MAPS}?watch=1&timeoutSeconds=1`);
  // Nothing tells the other side of an unread answer that it has ended, only its second passing.
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  await make('late');
  const events = (await read(unread)).map(({ type, object }) => `${type} ${object.metadata.name}`);
  expect(events).toHaveLength(LARGE_COUNT);
  expect(events).not.toContain('ADDED late');
  expect((await test.call({ method: 'GET', path: `${CONFIG_MAPS}/late` })).status).toBe(200);
});

async function make(name: string, content: object = {}): Promise<void> {
  const { status } = await test.call({ method: 'POST', path: CONFIG_MAPS, body: { metadata: { name }, ...content } });
  expect(status).toBe(201);
}

/** The answer, of which nothing is read yet. */
function watch(path: string): Promise<IncomingMessage> {
  const { url, ca, certificate, key } = test.admin;
  return new Promise((resolve, reject) => {
    request(`${url}${path}`, { ca, cert: certificate, key, agent: false }, resolve).once('error', reject).end();
  });
}

async function read(answer: IncomingMessage): Promise<{ type: string; object: { metadata: { name: string } } }[]> {
  let text = '';
  for await (const chunk of answer) text += chunk;
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}
