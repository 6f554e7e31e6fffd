import { randomBytes } from 'node:crypto';
import type { HealthCheck } from '@berth/core/health';
import { KubeError } from '@berth/kube/schema/status';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../clock.ts';
import type { UserDeployment } from '../kubernetes/user-deployment.ts';
import { createEmbeddedSecretStore } from '../secret/embedded-secret-store.ts';
import { masterKeys } from '../secret/master-keys.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { createTestDeployments, type TestDeployments } from '../testing/deployments.ts';
import { createTestDatabase, type TestDatabase } from '../testing/postgres.ts';
import { createTenant, type TestTenant } from '../testing/tenants.ts';
import { runChecks } from './check.ts';
import { clockSkew } from './clock-skew.ts';
import { type ClusterCheckDeps, clusterChecks } from './cluster-checks.ts';
import type { HealthDeps } from './routes.ts';

const NOW = new Date('2026-05-05T10:00:00Z');
const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1000).toISOString();

describe('the health of the installation', () => {
  let database: TestDatabase;
  let deployments: TestDeployments;
  let app: TestApp;
  let admin: TestTenant;
  const start = async (health: Partial<HealthDeps> = {}) => {
    app = await createTestApp({ database, deployments, health });
  };
  const checks = async (): Promise<Record<string, HealthCheck>> => {
    const answer = await app.as(admin, { url: '/api/health' });
    expect(answer.statusCode).toBe(200);
    return Object.fromEntries(answer.json().checks.map((each: HealthCheck) => [each.name, each]));
  };

  beforeEach(async () => {
    database = await createTestDatabase();
    deployments = await createTestDeployments(database);
    admin = await createTenant(database, 'Administrator');
    await database.execute('update users set platform_admin = true where id = $1', [admin.userId]);
  });
  afterEach(async () => {
    await app.close();
    await database.close();
  });

  it('is for administrators of the platform', async () => {
    await start();
    const person = await createTenant(database, 'Person');
    expect((await app.as(person, { url: '/api/health' })).json()).toMatchObject({ code: 'forbidden' });
    expect((await app.as(undefined, { url: '/api/health' })).statusCode).toBe(401);
  });

  it('tells of each part whether it works, and what to do about the one that does not', async () => {
    await start({ dataDirectory: '/' });
    const seen = await checks();
    expect(seen.database).toMatchObject({ state: 'ok', message: expect.stringContaining('PostgreSQL') });
    expect(seen['database clock']).toMatchObject({ state: 'ok' });
    expect(seen['changes on their way']).toMatchObject({ state: 'ok', message: 'Nothing waits for the cluster.' });
    expect(seen.catalogue).toMatchObject({ state: 'ok' });
    expect(seen.disk?.message).toMatch(/GiB of .* are free/);
    for (const name of ['cluster', 'operator']) {
      expect(seen[name]).toMatchObject({
        state: 'failure',
        message: 'this test has no cluster',
        fix: expect.any(String),
      });
    }
    expect(seen.observer).toMatchObject({ state: 'failure', message: expect.stringContaining('Nobody observes') });
  });

  it('says which deployment the cluster does not take, and why', async () => {
    await start();
    const created = await app.as(admin, {
      method: 'POST',
      url: '/api/deployments',
      payload: { team: admin.teamId, name: 'stuck', template: 'whoami' },
    });
    expect((await checks())['changes on their way']).toMatchObject({
      state: 'ok',
      message: '1 on their way, none for long.',
    });
    await database.execute("update outbox set enqueued_at = clock_timestamp() - interval '2 minutes'");
    expect((await checks())['changes on their way']).toMatchObject({
      state: 'warning',
      message: expect.stringContaining('12'),
    });
    await database.execute('update outbox set attempts = 5, last_error = $2 where deployment_id = $1', [
      created.json().id,
      'the cluster refuses it',
    ]);
    const { state, message } = (await checks())['changes on their way'] ?? {};
    expect(state).toBe('failure');
    expect(message).toBe(`The cluster does not take ${admin.namespace}/stuck: the cluster refuses it`);
  });

  it('tries the key of the secrets on one of them', async () => {
    const keys = masterKeys({ id: 'test', key: randomBytes(32) });
    const secrets = createEmbeddedSecretStore({ keys, clock: systemClock });
    await start({ secrets });
    expect((await checks())['secrets key']).toMatchObject({ state: 'ok', message: 'No secret is stored yet.' });
    await secrets.put(database, { teamId: admin.teamId, path: 'p', key: 'k' }, 'value');
    expect((await checks())['secrets key']).toMatchObject({ state: 'ok' });
    await app.close();
    const other = masterKeys({ id: 'test', key: randomBytes(32) });
    await start({ secrets: createEmbeddedSecretStore({ keys: other, clock: systemClock }) });
    expect((await checks())['secrets key']).toMatchObject({ state: 'failure', fix: expect.stringContaining('key') });
  });

  it('knows whether this server observes the cluster, another does, or nobody', async () => {
    let observation: ReturnType<HealthDeps['observation']> = { leads: true, synced: true, healthy: true };
    await start({ observation: () => observation });
    expect((await checks()).observer).toMatchObject({ state: 'ok' });
    observation = { leads: true, synced: false, healthy: false };
    expect((await checks()).observer).toMatchObject({ state: 'warning' });
    observation = { leads: true, synced: true, healthy: false };
    expect((await checks()).observer).toMatchObject({ state: 'failure' });
    observation = { leads: false, synced: false, healthy: false };
    expect((await checks()).observer).toMatchObject({ state: 'failure' });
    await database.transaction(async (transaction) => {
      await transaction.query('select pg_advisory_xact_lock(7236002)');
      expect((await checks()).observer).toMatchObject({ state: 'ok', message: 'Another server observes the cluster.' });
    });
  });
});

describe('the operator', () => {
  const resource = (name: string, changed: string, observedGeneration: number | undefined): UserDeployment =>
    ({
      metadata: {
        name,
        namespace: 'n',
        generation: 2,
        creationTimestamp: ago(9000),
        managedFields: [{ manager: 'm', time: changed }],
      },
      spec: {},
      status: { observedGeneration },
    }) as unknown as UserDeployment;
  const check = async (items: UserDeployment[], lease?: { holderIdentity?: string; renewTime?: string }) => {
    const client = {
      server: '',
      list: async () => ({ items }),
      get: async () => {
        if (lease) return { spec: lease };
        throw new KubeError(404, 'NotFound', 'none');
      },
      raw: () => Promise.reject(new Error('not asked')),
    } as unknown as ClusterCheckDeps['client'];
    const all = await runChecks(
      clusterChecks({ client, clock: () => NOW, leaseNamespace: 'default' }).filter(({ name }) => name === 'operator'),
    );
    return all[0]?.state;
  };

  it('is at work when it has seen every change that is older than a minute', async () => {
    expect(await check([])).toBe('ok');
    expect(await check([resource('a', ago(5), 1), resource('b', ago(500), 2)])).toBe('ok');
    expect(await check([resource('a', ago(500), 1), resource('b', ago(500), 2)])).toBe('warning');
    expect(await check([resource('a', ago(500), undefined)])).toBe('failure');
  });

  it('renews its lease where there is one', async () => {
    expect(await check([], { holderIdentity: 'o', renewTime: ago(5) })).toBe('ok');
    expect(await check([], { holderIdentity: 'o', renewTime: ago(90) })).toBe('failure');
    expect(await check([], { renewTime: ago(5) })).toBe('failure');
  });
});

describe('two clocks', () => {
  it.each<[string, number, string]>([
    ['agree', 0, 'ok'],
    ['differ a little', 8, 'ok'],
    ['are ahead', -30, 'warning'],
    ['are behind', 30, 'warning'],
    ['are far apart', 900, 'failure'],
  ])('%s', async (_name, secondsBehind, state) => {
    const finding = await clockSkew(() => NOW, {
      of: 'the cluster',
      read: async () => new Date(ago(secondsBehind)),
      toleranceMs: 0,
    });
    expect(finding.state).toBe(state);
    if (state !== 'ok') expect(finding.message).toContain(secondsBehind > 0 ? 'behind' : 'ahead of');
  });

  it('of which one takes long to answer still agree', async () => {
    let now = NOW.getTime();
    const read = async () => {
      now += 60_000;
      return new Date(now - 30_000);
    };
    expect((await clockSkew(() => new Date(now), { of: 'x', read, toleranceMs: 0 })).state).toBe('ok');
  });
});

it('a part that hangs is told after a while, and holds up nobody', async () => {
  const hangs = { name: 'hangs', fix: 'Shake it.', run: () => new Promise<never>(() => undefined) };
  const works = { name: 'works', fix: '', run: async () => ({ state: 'ok', message: 'fine' }) as const };
  expect(await runChecks([hangs, works], 20)).toEqual([
    { name: 'hangs', state: 'failure', message: 'It did not answer within 0.02 s.', fix: 'Shake it.' },
    { name: 'works', state: 'ok', message: 'fine' },
  ]);
});
