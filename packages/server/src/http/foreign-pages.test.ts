import { ROUTES, type RouteName } from '@berth/core/api';
import type { Route } from '@berth/core/route';
import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { createTestDatabase, type TestDatabase } from '../testing/postgres.ts';
import { createTenant, type TestTenant } from '../testing/tenants.ts';

/**
 * A page that is open in the same browser can do nothing here: walked over every route, streams included. Each request is refused
 * before anybody looks at what it asks for, so what it asks for need not be there.
 */
const ROUTE_LIST = Object.entries(ROUTES) as [RouteName, Route][];
const MUTATIONS = ROUTE_LIST.filter(([, { method }]) => method !== 'GET');

let database: TestDatabase;
let app: TestApp;
let person: TestTenant;

beforeAll(async () => {
  database = await createTestDatabase();
  app = await createTestApp({ database, settings: { devSignIn: true } });
  person = await createTenant(database, 'Person');
});
afterAll(async () => {
  await app.close();
  await database.close();
});

function requestOf({ method, path }: Route): InjectOptions {
  const url = path.replace(/:\w+/g, person.teamId);
  return { method, url, ...(method !== 'GET' && { payload: { name: 'Made by a foreign page' } }) };
}

const records = (requestId: unknown) =>
  database.query('select outcome, status from audit_records where request_id = $1', [requestId]);

describe('a foreign page', () => {
  it.each(ROUTE_LIST)('cannot ask for %s, nor under another name of this machine', async (_name, route) => {
    const request = requestOf(route);
    for (const headers of [
      { origin: 'http://evil.test' },
      { origin: 'null' },
      { origin: 'http://guestbook.berth.test:7000' },
      { origin: 'http://berth.test:7001' },
      { origin: 'https://berth.test:7000' },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' },
      { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' },
    ]) {
      const answer = await app.as(person, { ...request, headers });
      expect([answer.statusCode, answer.json().code], JSON.stringify(headers)).toEqual([403, 'foreign_origin']);
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    }
    for (const host of ['evil.test', 'guestbook.berth.test:7000', 'berth.test', '']) {
      const answer = await app.as(person, { ...request, headers: { host } });
      expect([answer.statusCode, answer.json().code], host).toEqual([421, 'foreign_host']);
      expect(await records(answer.headers['x-request-id'])).toEqual([{ outcome: 'denied', status: 421 }]);
    }
    const token = await app.withToken(person.token, { ...request, headers: { origin: 'http://evil.test' } });
    expect(token.statusCode).toBe(403);
  });

  it.each(ROUTE_LIST)('gets no answer to a preflight for %s', async (_name, route) => {
    const answer = await app.as(person, { ...requestOf(route), method: 'OPTIONS' });
    expect(answer.statusCode).toBe(405);
    expect(answer.headers.allow).toContain(route.method);
    expect(answer.headers['access-control-allow-methods']).toBeUndefined();
  });

  it.each(MUTATIONS)('cannot send the header without which %s is refused', async (_name, route) => {
    const answer = await app.as(person, { ...requestOf(route), headers: { 'x-berth-request': '' } });
    expect([answer.statusCode, answer.json().code]).toEqual([403, 'foreign_origin']);
    expect(await records(answer.headers['x-request-id'])).toEqual([{ outcome: 'denied', status: 403 }]);
  });
});
