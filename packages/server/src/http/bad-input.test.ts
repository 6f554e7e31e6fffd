import { once } from 'node:events';
import { connect } from 'node:net';
import { CSRF_HEADER, ROUTES, type RouteName } from '@berth/core/api';
import { problemSchema } from '@berth/core/errors';
import type { Route } from '@berth/core/route';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyAudit } from '../audit/verify-audit.ts';
import { createTestApp, TEST_HOST, type TestApp } from '../testing/app.ts';
import { createTestDeployments } from '../testing/deployments.ts';
import { createTestDatabase, type TestDatabase } from '../testing/postgres.ts';
import { createTenant, type TestTenant } from '../testing/tenants.ts';
import { BODY_LIMIT_BYTES } from './errors.ts';

let database: TestDatabase;
let app: TestApp;
let person: TestTenant;

beforeAll(async () => {
  database = await createTestDatabase();
  app = await createTestApp({ database, deployments: await createTestDeployments(database) });
  person = await createTenant(database, 'Person');
});
afterAll(async () => {
  await app.close();
  await database.close();
});

const post = (payload: string | Buffer, type = 'application/json', url = '/api/organizations') =>
  app.as(person, { method: 'POST', url, payload, headers: { 'content-type': type } });

describe('bad input', () => {
  it.each([
    ['{"name": }', /line 1, column 10/],
    ['{"name": "x",\n  "other" 1}', /line 2, column 11/],
    ['[1, 2', /line 1, column 6/],
    ['', /name: is required/],
    ['nul', /line 1, column 1/],
    [`${'['.repeat(100)}${']'.repeat(100)}`, /nested deeper than 64/],
    ['{"name": {"__proto__": {"polluted": true}}}', /name: must not have a field "__proto__"/],
    ['{"name": "\\ud800"}', /name: is not valid Unicode/],
    ['{"name": "a\\u0000b"}', /name: must not contain control characters/],
    ['{"name": "x", "extra": 1}', /extra: is not known here/],
    ['{"name": 7}', /name: /],
    ['null', /name: is required/],
  ])('is told where it is wrong: %s', async (payload, detail) => {
    const answer = await post(payload);
    expect(answer.statusCode).toBe(400);
    expect(problemSchema.parse(answer.json()).detail).toMatch(detail);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('that is not UTF-8 is refused', async () => {
    expect((await post(Buffer.from([0x22, 0xff, 0x22]))).json().detail).toMatch(/is not UTF-8/);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/xml'])(
    'of type %s is refused: a form of another site could send it',
    async (type) => {
      const answer = await post('name=x', type);
      expect([answer.statusCode, answer.json().code]).toEqual([415, 'unsupported_media_type']);
    },
  );

  it('over the limit is refused, and just below it is not', async () => {
    const ofSize = (size: number) => JSON.stringify({ name: 'x'.repeat(size - '{"name":""}'.length) });
    expect((await post(ofSize(BODY_LIMIT_BYTES + 1))).json().code).toBe('payload_too_large');
    expect((await post(ofSize(BODY_LIMIT_BYTES))).json().detail).toMatch(/name: takes at most 60/);
  });

  it('far over the limit is told so, also when the answer is read only after all is sent', async () => {
    const { port } = new URL(await app.app.listen({ host: '127.0.0.1', port: 0 }));
    const head = [
      'POST /api/organizations HTTP/1.1',
      `Host: ${TEST_HOST}`,
      `Cookie: berth_login=${person.cookie}`,
      `${CSRF_HEADER}: 1`,
      'Content-Type: application/json',
    ];
    const chunk = Buffer.alloc(BODY_LIMIT_BYTES, 'x');
    const answerTo = async (framing: string, parts: (string | Buffer)[]) => {
      const socket = connect({ host: '127.0.0.1', port: Number(port) });
      await once(socket, 'connect');
      for (const part of [`${[...head, framing].join('\r\n')}\r\n\r\n`, ...parts]) {
        if (!socket.write(part)) await once(socket, 'drain');
      }
      const [answer] = await once(socket, 'data');
      socket.destroy();
      return String(answer);
    };
    const size = `${chunk.length.toString(16)}\r\n`;
    expect(await answerTo(`Content-Length: ${20 * chunk.length}`, Array(20).fill(chunk))).toContain(' 413 ');
    const chunked = Array(20).fill([size, chunk, '\r\n']).flat();
    expect(await answerTo('Transfer-Encoding: chunked', [...chunked, '0\r\n\r\n'])).toContain(' 413 ');
  });

  it('names a wrong query field, and a wrong id in the address', async () => {
    const query = await app.as(person, { url: `/api/audit?team=${person.teamId}&limit=9999` });
    expect(query.json().fields).toEqual([expect.objectContaining({ path: 'limit' })]);
    const address = await app.as(person, { url: '/api/teams/nonsense' });
    expect(address.json().fields).toEqual([{ path: 'teamId', message: 'is not an id' }]);
  });

  it('of an unknown address or method says what there is', async () => {
    const unknown = await app.as(person, { url: '/api/nothing' });
    expect([unknown.statusCode, unknown.json().code]).toEqual([404, 'not_found']);
    const method = await app.as(person, { method: 'PUT', url: `/api/organizations/${person.organizationId}` });
    expect([method.statusCode, method.headers.allow]).toEqual([405, 'GET, PATCH']);
  });

  it('never breaks the server, whatever it is', { timeout: 60_000 }, async () => {
    const routes = Object.entries(ROUTES) as [RouteName, Route][];
    const junk = fc.oneof(
      fc.json({ maxDepth: 4 }),
      fc.string({ unit: 'binary' }),
      fc
        .dictionary(
          fc.constantFrom(
            'name',
            'team',
            'email',
            'password',
            'role',
            'values',
            'template',
            'current',
            'next',
            '__proto__',
          ),
          fc.oneof(fc.string({ unit: 'binary' }), fc.jsonValue(), fc.constantFrom('a\0b', person.teamId, 'whoami', '')),
        )
        .map((value) => JSON.stringify(value)),
    );
    const segment = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(person.teamId, person.organizationId, '%00', '..', 'a0a0a0a0a0a0a0a0'),
    );
    const property = fc.asyncProperty(fc.constantFrom(...routes), junk, segment, async ([, route], body, text) => {
      const encoded = encodeURIComponent(text.toWellFormed());
      const url = `${route.path.replace(/:\w+/g, encoded || 'x')}?team=${encoded}&cursor=${encoded}&q=${encoded}`;
      const answer = await app.as(person, {
        method: route.method,
        url,
        ...(route.method !== 'GET' && { payload: body, headers: { 'content-type': 'application/json' } }),
      });
      if (answer.statusCode >= 500) throw new Error(`${route.method} ${url} ${body}: ${answer.body}`);
    });
    await fc.assert(property, { numRuns: 400 });
    expect((await verifyAudit(database)).sound).toBe(true);
  });
});
