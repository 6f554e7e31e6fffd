import { ROUTES, type Route, type RouteName } from '@berth/core/api';
import type { AuditRecord } from '@berth/core/audit';
import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { createTestDeployments } from '../testing/deployments.ts';
import { createTestDatabase, type TestDatabase } from '../testing/postgres.ts';
import { createWorld, ROUTE_EXAMPLES, type World } from '../testing/route-examples.ts';

/** A page that is open in the same browser can do nothing here: walked over every route, streams included. */
const ROUTE_LIST = Object.entries(ROUTES) as [RouteName, Route][];
const MUTATIONS = ROUTE_LIST.filter(([, { method }]) => method !== 'GET');

let database: TestDatabase;
let app: TestApp;

beforeAll(async () => {
  database = await createTestDatabase();
  app = await createTestApp({
    database,
    deployments: await createTestDeployments(database),
    settings: { devSignIn: true },
  });
});
afterAll(async () => {
  await app.close();
  await database.close();
});

async function example(name: RouteName): Promise<{ world: World; request: InjectOptions }> {
  const world = await createWorld(database, app);
  return { world, request: await ROUTE_EXAMPLES[name](world) };
}

const recordsSince = async (sequence: number) =>
  database.query<AuditRecord>('select * from audit_records where sequence > $1 order by sequence', [sequence]);
const lastSequence = async () =>
  (await database.query<{ sequence: number }>('select sequence from audit_tail'))[0]?.sequence ?? 0;

describe('a foreign page', () => {
  it.each(ROUTE_LIST)('%s refuses pages of other sites, and other hosts', async (name) => {
    const { world, request } = await example(name);
    for (const headers of [
      { origin: 'http://evil.test' },
      { origin: 'null' },
      { origin: 'http://guestbook.berth.test:7000' },
      { origin: 'http://berth.test:7001' },
      { origin: 'https://berth.test:7000' },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' },
      { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' },
    ]) {
      const answer = await app.as(world.owner, { ...request, headers });
      expect([answer.statusCode, answer.json().code], JSON.stringify(headers)).toEqual([403, 'foreign_origin']);
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    }
    for (const host of ['evil.test', 'guestbook.berth.test:7000', 'berth.test', '']) {
      const answer = await app.as(world.owner, { ...request, headers: { host } });
      expect([answer.statusCode, answer.json().code], host).toEqual([421, 'foreign_host']);
    }
    const token = await app.withToken(world.owner.token, { ...request, headers: { origin: 'http://evil.test' } });
    expect(token.statusCode).toBe(403);
  });

  it.each(ROUTE_LIST)('%s answers no preflight', async (name) => {
    const { world, request } = await example(name);
    const answer = await app.as(world.owner, { url: request.url ?? '', method: 'OPTIONS' });
    expect(answer.statusCode).toBe(405);
    expect(answer.headers.allow).toContain(ROUTES[name].method);
    expect(answer.headers['access-control-allow-methods']).toBeUndefined();
  });

  it.each(MUTATIONS)('%s needs the header that a foreign page cannot send', async (name) => {
    const { world, request } = await example(name);
    const sequence = await lastSequence();
    const answer = await app.as(world.owner, { ...request, headers: { 'x-berth-request': '' } });
    expect([answer.statusCode, answer.json().code]).toEqual([403, 'foreign_origin']);
    expect(await recordsSince(sequence)).toMatchObject([{ outcome: 'denied', status: 403 }]);
  });
});
