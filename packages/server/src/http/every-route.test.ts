import { isAudited, ROUTES, type RouteName } from '@berth/core/api';
import type { AuditRecord } from '@berth/core/audit';
import type { Route } from '@berth/core/route';
import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyAudit } from '../audit/verify-audit.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { createTestDeployments } from '../testing/deployments.ts';
import { createTestDatabase, type TestDatabase } from '../testing/postgres.ts';
import { createWorld, ROUTE_EXAMPLES, type World } from '../testing/route-examples.ts';

/** What holds for every route of the contract, streams included: each is walked with two people who share nothing. */
const ROUTE_LIST = Object.entries(ROUTES) as [RouteName, Route][];
const HIDDEN = ROUTE_LIST.filter(([, { scope }]) => scope !== 'none' && scope !== 'self');
const PROTECTED = ROUTE_LIST.filter(([, { permission }]) => permission !== 'public');
const AUDITED = ROUTE_LIST.filter(([, route]) => isAudited(route));
const FOREIGN_ID = 'a0a0a0a0a0a0a0a0';

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

/** As its owner, for whom a stream has no end and a socket opens. */
async function asOwner({ owner }: World, name: RouteName, request: InjectOptions) {
  const { output } = ROUTES[name] as Route;
  if (output !== 'stream' && output !== 'socket') return app.as(owner, request);
  const answer = await (output === 'socket' ? app.openSocket(owner, String(request.url)) : app.open(owner, request));
  answer.leave();
  return { ...answer, body: '' };
}

const recordsSince = async (sequence: number) =>
  database.query<AuditRecord>('select * from audit_records where sequence > $1 order by sequence', [sequence]);
const lastSequence = async () =>
  (await database.query<{ sequence: number }>('select sequence from audit_tail'))[0]?.sequence ?? 0;

describe('every route', () => {
  it.each(ROUTE_LIST)('%s works for its owner', async (name, route) => {
    const { world, request } = await example(name);
    const answer = await asOwner(world, name, request);
    expect({ status: answer.statusCode, body: answer.statusCode < 400 ? '' : answer.body }).toEqual({
      status: route.status ?? 200,
      body: '',
    });
    expect(answer.headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.headers['x-request-id']).toMatch(/^[a-z0-9]{16}$/);
  });

  it.each(HIDDEN)('%s is the same 404 for a stranger as for what is not there', async (name) => {
    const { world, request } = await example(name);
    const before = await app.as(world.stranger, request);
    const own = await asOwner(world, name, request);
    const after = await app.as(world.stranger, request);
    const nowhere = await app.as(world.stranger, withForeignIds(world, request));
    expect([before.statusCode, after.statusCode, nowhere.statusCode]).toEqual([404, 404, 404]);
    expect(own.statusCode).toBeLessThan(300);
    expect(before.body).toBe(nowhere.body);
    expect(after.body).toBe(nowhere.body);
    expect(shapeOf(after.headers)).toEqual(shapeOf(nowhere.headers));
  });

  it.each(PROTECTED)('%s is refused without a login, and that is recorded', async (name, route) => {
    const { request } = await example(name);
    const sequence = await lastSequence();
    const answer = await app.as(undefined, request);
    expect(answer.statusCode).toBe(401);
    expect(await recordsSince(sequence)).toMatchObject([
      { actor: 'anonymous', outcome: 'denied', status: 401, action: route.permission, route: route.path },
    ]);
  });

  it.each(AUDITED)('%s leaves exactly one record of who did what', async (name, route) => {
    const { world, request } = await example(name);
    const sequence = await lastSequence();
    // The end of a shell is a record of its own, so this one stays open.
    const socket = route.output === 'socket' ? await app.openSocket(world.owner, String(request.url)) : undefined;
    const answer = socket ?? (await app.as(world.owner, request));
    expect(answer.statusCode).toBeLessThan(300);
    const actor = name === 'signInForDevelopment' ? 'dev@localhost' : world.owner.email;
    expect(await recordsSince(sequence)).toMatchObject([
      {
        actor,
        action: route.permission,
        outcome: 'allowed',
        method: route.method,
        route: route.path,
        status: answer.statusCode,
        requestId: answer.headers['x-request-id'],
      },
    ]);
    socket?.leave();
  });

  it.each(HIDDEN)('%s leaves a record when it hides something', async (name) => {
    const { world, request } = await example(name);
    const sequence = await lastSequence();
    await app.as(world.stranger, request);
    expect(await recordsSince(sequence)).toMatchObject([
      { actor: world.stranger.email, outcome: 'denied', status: 404, organizationId: world.owner.organizationId },
    ]);
  });

  it('leaves a chain that holds', async () => {
    expect(await verifyAudit(database)).toEqual({ sound: true, records: await lastSequence() });
  });
});

/** The same request for things that never were. */
function withForeignIds({ owner }: World, request: InjectOptions): InjectOptions {
  const foreign = (text: string) =>
    text
      .replaceAll(owner.teamId, FOREIGN_ID)
      .replaceAll(owner.organizationId, FOREIGN_ID)
      .replace(/deployments\/[a-z0-9]{16}/, `deployments/${FOREIGN_ID}`);
  return {
    ...request,
    url: foreign(String(request.url)),
    ...(request.payload !== undefined && { payload: JSON.parse(foreign(JSON.stringify(request.payload))) as object }),
  };
}

function shapeOf(headers: Record<string, unknown>): Record<string, unknown> {
  const { 'x-request-id': _id, date: _date, ...rest } = headers;
  return rest;
}
