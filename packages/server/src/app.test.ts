import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DeploymentRoutes, HandlerContext } from './http/handler.ts';
import { createMetrics } from './http/metrics.ts';
import { createLogger } from './logger.ts';
import { createTestApp, TEST_HOST, type TestApp } from './testing/app.ts';
import { createTestDeployments, type TestDeployments } from './testing/deployments.ts';
import { createTestDatabase, type TestDatabase } from './testing/postgres.ts';
import { createTenant, type TestTenant } from './testing/tenants.ts';

let database: TestDatabase;
let deployments: TestDeployments;
let person: TestTenant;
let app: TestApp | undefined;
let lines: string[];

const log = createLogger({
  name: 'test',
  level: 'debug',
  destination: new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  }),
});

beforeEach(async () => {
  lines = [];
  database = await createTestDatabase();
  deployments = await createTestDeployments(database);
  person = await createTenant(database, 'Person');
});
afterEach(async () => {
  await app?.close();
  app = undefined;
  await deployments.stop();
  await database.close();
});

type Events = HandlerContext<'streamEvents'>;
/** A server whose event stream is as given. */
const withStream = async (streamEvents: (context: Events) => Promise<undefined>) => {
  app = await createTestApp({
    database,
    log,
    deployments: { ...deployments, handlers: { ...deployments.handlers, streamEvents } },
  });
  return app;
};
const logged = (message: string) =>
  lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ msg }) => msg === message);

describe('the server', () => {
  it('does not start when a route has no handler, or a handler no route', async () => {
    const { listActivity: _listActivity, ...handlers } = deployments.handlers;
    const broken = { ...handlers, listNothing: handlers.getUsage } as unknown as DeploymentRoutes['handlers'];
    await expect(createTestApp({ database, deployments: { ...deployments, handlers: broken } })).rejects.toThrow(
      'routes without a handler: [listActivity]; handlers without a route: [listNothing]',
    );
  });

  it('tells nothing of what broke inside, and logs it once with the id that it tells', async () => {
    const secret = 'postgres://berth:s3cret@db/berth';
    const { as } = await withStream(() => Promise.reject(new Error(`cannot reach ${secret}`)));
    const answer = await as(person, { url: '/api/events' });
    expect([answer.statusCode, answer.json().code]).toEqual([500, 'internal']);
    expect(answer.body).not.toContain('s3cret');
    expect(logged('request failed')).toMatchObject([
      { level: 50, requestId: answer.json().requestId, route: 'streamEvents', actor: person.userId },
    ]);
  });

  it('notices an answer that is not what its route says', async () => {
    const getUsage = async () => ({ plan: 7 }) as never;
    app = await createTestApp({
      database,
      log,
      deployments: { ...deployments, handlers: { ...deployments.handlers, getUsage } },
    });
    const answer = await app.as(person, { url: `/api/teams/${person.teamId}/usage` });
    expect(answer.statusCode).toBe(500);
    expect(JSON.stringify(logged('request failed'))).toContain('the answer of getUsage is not what its route says');
  });

  it('logs no cookie, token or password', async () => {
    app = await createTestApp({ database, log });
    await app.as(person, {
      method: 'POST',
      url: '/api/login',
      payload: { email: person.email, password: 'hunter2hunter2' },
    });
    const made = await app.as(person, { method: 'POST', url: '/api/tokens', payload: { name: 'laptop' } });
    log.info({ password: 'hunter2hunter2', request: { cookie: person.cookie } }, 'careless');
    expect(lines.join('')).not.toMatch(/hunter2/);
    expect(lines.join('')).not.toContain(person.cookie);
    expect(lines.join('')).not.toContain(made.json().token);
    expect(lines.length).toBeGreaterThan(3);
  });

  it('is alive without its database, but not ready, and says when to come back', async () => {
    const gone = { ...database, query: unreachable, execute: unreachable, transaction: unreachable };
    app = await createTestApp({ database: gone, log });
    const probe = (url: string) => app?.as(undefined, { url, headers: { host: '10.0.0.1:8080' } });
    expect((await probe('/livez'))?.statusCode).toBe(200);
    expect((await probe('/healthz'))?.statusCode).toBe(200);
    const ready = await probe('/readyz');
    expect(ready?.statusCode).toBe(503);
    expect(ready?.body).toContain('[-]database failed: it does not answer\n');
    const answer = await app.as(person, { url: '/api/me' });
    expect([answer.statusCode, answer.json().code, answer.headers['retry-after']]).toEqual([503, 'unavailable', '5']);
  });

  it('is not ready before its schema is there', async () => {
    const empty = await createTestDatabase({ migrated: false });
    app = await createTestApp({ database: empty });
    const answer = await app.as(undefined, { url: '/readyz' });
    expect(answer.statusCode).toBe(503);
    expect(answer.body).toMatch(/^\[-\]schema failed: the database waits for 0001-first.sql, /m);
    expect(answer.body).toContain('[+]database ok\n');
    await empty.close();
  });

  it('counts requests by route, and tells nobody but its own listener', async () => {
    const metrics = createMetrics();
    app = await createTestApp({ database, log, deployments, metrics });
    const server = app.app;
    await server.inject({ url: '/api/me', headers: { host: TEST_HOST } });
    expect((await server.inject({ url: '/metrics', headers: { host: TEST_HOST } })).body).not.toContain('http_request');
    expect(await metrics.registry.metrics()).toContain(
      'http_request_duration_seconds_count{route="getMe",method="GET",code="401"} 1',
    );
  });
});

describe('a stream', () => {
  /** Over a real socket: what happens when one side goes is the point. */
  async function follow(
    running: TestApp,
  ): Promise<{ text(): string; until(part: string): Promise<void>; ended: Promise<string>; leave(): void }> {
    await running.app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = running.app.server.address() as AddressInfo;
    const client = httpRequest({
      port,
      host: '127.0.0.1',
      path: '/api/events',
      headers: { host: TEST_HOST, cookie: `berth_login=${person.cookie}` },
    });
    let text = '';
    let changed = () => undefined as unknown;
    const ended = new Promise<string>((resolve) => {
      client.on('error', () => resolve('cut'));
      client.on('response', (response) => {
        text += `${response.statusCode} ${response.headers['content-type']} ${response.headers['x-frame-options']}\n`;
        response.on('data', (chunk: Buffer) => {
          text += chunk.toString();
          changed();
        });
        response.on('error', () => resolve('cut'));
        response.on('end', () => resolve('end'));
      });
    });
    client.end();
    return {
      text: () => text,
      ended,
      leave: () => client.destroy(),
      async until(part) {
        while (!text.includes(part)) await new Promise<unknown>((resolve) => (changed = () => resolve(undefined)));
      },
    };
  }

  it('carries the security headers and hears when the client has gone', async () => {
    let gone = (_reason: unknown) => undefined as unknown;
    const reason = new Promise((resolve) => {
      gone = resolve;
    });
    const running = await withStream(async ({ openStream, request }) => {
      openStream('text/event-stream').write('data: one\n\n');
      await new Promise((resolve) => request.signal.addEventListener('abort', resolve));
      gone(request.signal.reason);
      return undefined;
    });
    const client = await follow(running);
    await client.until('data: one');
    expect(client.text()).toMatch(/^200 text\/event-stream DENY\n/);
    client.leave();
    expect(await reason).toBe('client_gone');
  });

  it('is ended by its handler when the server stops, and holds nothing up', async () => {
    const running = await withStream(async ({ openStream, request }) => {
      const response = openStream('text/event-stream');
      response.write('data: one\n\n');
      await new Promise((resolve) => request.signal.addEventListener('abort', resolve));
      response.write(`data: ${String(request.signal.reason)}\n\n`);
      return undefined;
    });
    const client = await follow(running);
    await client.until('data: one');
    await running.app.close();
    expect(await client.ended).toBe('end');
    expect(client.text()).toContain('data: shutting_down');
  });

  it('that breaks is cut, so that the client comes back, and is logged', async () => {
    const running = await withStream(async ({ openStream }) => {
      openStream('text/event-stream').write('data: one\n\n');
      throw new Error('broke');
    });
    const client = await follow(running);
    expect(await client.ended).toBe('cut');
    expect(logged('a stream broke')).toHaveLength(1);
  });

  it('learns that its person signed out, or was removed from the team', async () => {
    const answers: string[] = [];
    const running = await withStream(async ({ openStream, access }) => {
      openStream('text/event-stream');
      answers.push(await access());
      await database.execute('delete from team_members where user_id = $1', [person.userId]);
      await database.execute('delete from organization_members where user_id = $1', [person.userId]);
      answers.push(await access());
      await database.execute('delete from logins where id = $1', [person.loginId]);
      answers.push(await access());
      return undefined;
    });
    await running.as(person, { url: `/api/events?team=${person.teamId}` });
    expect(answers).toEqual(['granted', 'access_removed', 'signed_out']);
  });
});

function unreachable(): Promise<never> {
  return Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
}
