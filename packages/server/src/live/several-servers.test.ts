import { randomBytes } from 'node:crypto';
import { type IncomingMessage, request } from 'node:http';
import { CSRF_HEADER } from '@berth/core/api';
import type { Deployment } from '@berth/core/deployment';
import type { LiveEvent } from '@berth/core/live';
import { until } from '@berth/kube/client/testing/until';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hashPassword } from '../auth/password.ts';
import { type ClusterScene, startClusterScene } from '../deployment/testing/cluster-scene.ts';
import { masterKeys } from '../secret/master-keys.ts';
import { TEST_HOST } from '../testing/app.ts';
import { type RoundRobin, startRoundRobin } from '../testing/round-robin.ts';
import { startTestServer, type TestServer } from '../testing/server-pair.ts';
import { createTenant, type TestTenant } from '../testing/tenants.ts';
import { makeInternalCertificate } from '../up/certificates.ts';
import { createLiveClient, type LiveClient } from './testing/live-client.ts';
import { openEvents, type SseClient } from './testing/sse-client.ts';

/** Two servers on one database behind a balancer that gives each connection to the next: whatever a server keeps to itself shows. */
let scene: ClusterScene;
let servers: TestServer[];
let balancer: RoundRobin;
let who: TestTenant;
beforeEach(async () => {
  scene = await startClusterScene();
  const keys = masterKeys({ id: 'test', key: randomBytes(32) });
  const certificate = await makeInternalCertificate(new Date());
  const options = { databaseUrl: scene.database.url, client: scene.client, keys, certificate, works: true };
  servers = await Promise.all([startTestServer(options), startTestServer(options)]);
  balancer = await startRoundRobin(servers.map(({ port }) => port));
  who = await createTenant(scene.database, 'Hopping');
});
afterEach(async () => {
  await balancer.close();
  await Promise.all(servers.map((server) => server.stop()));
  await scene.end();
});

interface Answer {
  status: number;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown> & { items: Deployment[] };
}

/** A connection of its own, so each goes to the next server. */
function send(method: string, path: string, more: { body?: object; headers?: Record<string, string> } = {}) {
  const headers = {
    host: TEST_HOST,
    [CSRF_HEADER]: '1',
    cookie: `berth_login=${who.cookie}`,
    ...(more.body && { 'content-type': 'application/json' }),
    ...more.headers,
  };
  return new Promise<Answer>((resolve, reject) => {
    const sent = request(
      { port: balancer.port, host: '127.0.0.1', path, method, headers, agent: false },
      (response: IncomingMessage) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (part: string) => {
          text += part;
        });
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: text === '' ? {} : JSON.parse(text),
          }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(more.body && JSON.stringify(more.body));
  });
}

/** As a good client does: what broke is asked again, a change under the same key. */
async function sendAgain(...[method, path, more = {}]: Parameters<typeof send>): Promise<Answer> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await send(method, path, more);
    } catch (error) {
      if (attempt === 4) throw error;
    }
  }
}

const names = async () =>
  (await sendAgain('GET', `/api/deployments?team=${who.teamId}`)).body.items.map(({ name }) => name);
const create = (name: string, key: string) =>
  sendAgain('POST', '/api/deployments', {
    body: { team: who.teamId, name, template: 'plain' },
    headers: { 'idempotency-key': key },
  });
const about = (name: string) => (event: LiveEvent) => event.type === 'deployment' && event.deployment.name === name;

/** Goes to a live server: what a balancer does that has noticed. */
const follow = (position?: number): Promise<SseClient<LiveEvent>> =>
  openEvents<LiveEvent>(balancer.port, { path: `/api/events?team=${who.teamId}`, who, lastEventId: position });

/** Follows the team from server to server, and keeps what it was told. */
function createReader() {
  const reader = { stopped: false, told: new Set<string>(), ends: [] as string[], following: Promise.resolve() };
  const take = (event: LiveEvent) => {
    if (event.type === 'end') reader.ends.push(event.reason);
    if (event.type === 'deployment') reader.told.add(event.deployment.name);
    if (event.type === 'snapshot') for (const { name } of event.deployments) reader.told.add(name);
  };
  const run = async () => {
    let position: number | undefined;
    while (!reader.stopped) {
      const stream = await follow(position).catch(() => undefined);
      await stream?.ended;
      for (const message of stream?.messages ?? []) {
        take(message.event);
        position = message.id ?? position;
      }
    }
  };
  reader.following = run();
  return reader;
}

describe('two servers behind one address', () => {
  it('are one: signed in at one is signed in at both, what one makes the other shows at once, one key makes one thing', async () => {
    const password = 'a long enough password';
    await scene.database.execute('update users set password_hash = $2 where id = $1', [
      who.userId,
      await hashPassword(password),
    ]);
    const signedIn = await send('POST', '/api/login', { body: { email: who.email, password } });
    const cookie = String(signedIn.headers['set-cookie']).split(';')[0] ?? '';
    for (let visit = 0; visit < 4; visit++) {
      expect((await send('GET', '/api/me', { headers: { cookie } })).status).toBe(200);
    }
    const seen: string[] = [];
    for (let count = 0; count < 3; count++) {
      const made = await create(`hop-${count}`, `key-${count}`);
      expect(made.status).toBe(201);
      const replayed = await create(`hop-${count}`, `key-${count}`);
      expect(replayed.body.id).toBe(made.body.id);
      seen.push(`hop-${count}`);
      // Twice: each of them has a list of its own in memory.
      expect(await names()).toEqual(seen);
      expect(await names()).toEqual(seen);
    }
    await send('POST', '/api/logout', { headers: { cookie } });
    for (let visit = 0; visit < 2; visit++) {
      expect((await send('GET', '/api/me', { headers: { cookie } })).status).toBe(401);
    }
    expect([...balancer.counts.values()].every((count) => count > 8)).toBe(true);
  }, 60_000);

  it('count attempts to sign in together', async () => {
    const attempts: number[] = [];
    for (let attempt = 0; attempt < 12; attempt++) {
      attempts.push((await send('POST', '/api/login', { body: { email: who.email, password: 'wrong' } })).status);
    }
    expect(attempts).toEqual([...Array(10).fill(401), 429, 429]);
  });

  it('case 11: one is killed while a deployment is on its way: its stream goes on at the other without gap or double, and it arrives', async () => {
    const client: LiveClient = createLiveClient((position) => follow(position));
    await client.connect();
    await client.waitFor(({ type }) => type === 'snapshot');
    for (let count = 0; count < 4; count++) {
      const made = await create(`live-${count}`, `live-${count}`);
      expect(made.status).toBe(201);
      // At whichever server: each connection of this client is at the next one.
      await client.connect();
      await client.waitFor(about(`live-${count}`));
      await client.connect();
      await client.reconnect();
      await client.waitFor(({ type }) => type === 'resumed' || type === 'deployment' || type === 'activity');
    }
    const [victim, survivor] = servers as [TestServer, TestServer];
    const made = await create('unlucky', 'unlucky');
    await victim.kill();
    balancer.targets.splice(0, 2, survivor.port);
    expect((await create('unlucky', 'unlucky')).body.id).toBe(made.body.id);
    await create('afterwards', 'afterwards');
    await client.connect();
    await client.waitFor(about('afterwards'));
    expect(client.problems).toEqual([]);
    const now = (await send('GET', `/api/deployments?team=${who.teamId}`)).body.items;
    expect(client.state().deployments.map(({ name }) => name)).toEqual(now.map(({ name }) => name));
    for (const name of ['unlucky', 'afterwards']) {
      // What the killed one had claimed is free when its lease is over.
      await until(async () => (await scene.resource(name, who)) !== undefined, 30_000);
    }
  }, 90_000);

  it('go one after the other without anybody missing anything', async () => {
    const [first, second] = servers as [TestServer, TestServer];
    const reader = createReader();
    const made: string[] = [];
    const making = (async () => {
      while (!reader.stopped) {
        const name = `roll-${made.length}`;
        const { status } = await create(name, name);
        if (status === 201) made.push(name);
      }
    })();
    await until(() => made.length > 2);
    balancer.targets.splice(0, 2, second.port);
    await first.stop();
    await until(() => made.length > 5);
    reader.stopped = true;
    await making;
    await second.stop();
    await reader.following;
    expect(made.filter((name) => !reader.told.has(name))).toEqual([]);
    expect(reader.ends).toEqual(['shutting_down', 'shutting_down']);
  }, 60_000);
});
