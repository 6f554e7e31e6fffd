import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Scene, startScene } from '../deployment/testing/scene.ts';
import { ensureDeliveryCredential } from './delivery-credential.ts';
import { buildInternalApp } from './internal-app.ts';
import { masterKeys } from './master-keys.ts';

let scene: Scene;
let app: ReturnType<typeof buildInternalApp>;
const credentials = { owner: '', stranger: '' };
const PASSWORD = '$2a$12$mSNG"\\\n🦭';

beforeAll(async () => {
  scene = await startScene();
  app = buildInternalApp({ ...scene.deps, metrics: new Registry(), logger: scene.logger, healthy: () => true });
  for (const who of ['owner', 'stranger'] as const) {
    const { namespace: name, teamId } = scene[who];
    credentials[who] = await scene.database.transaction((transaction) =>
      ensureDeliveryCredential(transaction, scene.deps.keys, { name, teamId, at: new Date() }),
    );
  }
  await scene.create({ name: 'site', template: 'vault', values: { password: PASSWORD } });
});
afterAll(async () => {
  await app.close();
  await scene.end();
});

const read = (path: string, credential?: string) =>
  app.inject({ url: path, ...(credential && { headers: { authorization: `Bearer ${credential}` } }) });

describe('the internal endpoint', () => {
  it('gives a value byte for byte, in both spellings of its address', async () => {
    for (const path of ['/internal/secrets/site/password', '/internal/secrets/site%2Fpassword']) {
      const answer = await read(path, credentials.owner);
      expect(answer.statusCode).toBe(200);
      expect(answer.json()).toEqual({ value: PASSWORD });
      expect(answer.headers['cache-control']).toBe('no-store');
    }
  });

  it('gives what was generated, and an empty value for what was left out', async () => {
    expect((await read('/internal/secrets/site/generated', credentials.owner)).json().value).toMatch(
      /^[A-Za-z0-9]{32}$/,
    );
    expect((await read('/internal/secrets/site/optional', credentials.owner)).json()).toEqual({ value: '' });
  });

  it('answers the same 401 without a credential and with a wrong one', async () => {
    const answers = await Promise.all([
      read('/internal/secrets/site/password'),
      read('/internal/secrets/site/password', 'berth_delivery_wrong'),
      read('/internal/secrets/none/none', 'x'),
    ]);
    expect(new Set(answers.map(({ statusCode, body }) => `${statusCode} ${body}`)).size).toBe(1);
    expect(answers[0]?.statusCode).toBe(401);
  });

  it('answers the same 404 for what is another team’s and for what is not there', async () => {
    const answers = await Promise.all([
      read('/internal/secrets/site/password', credentials.stranger),
      read('/internal/secrets/site/none', credentials.owner),
      read('/internal/secrets/none/password', credentials.owner),
      read('/internal/secrets/site', credentials.owner),
      read('/internal/secrets/site/a/b', credentials.owner),
    ]);
    expect(new Set(answers.map(({ statusCode, body }) => `${statusCode} ${body}`)).size).toBe(1);
    expect(answers[0]?.statusCode).toBe(404);
  });

  it('stops with a credential that was replaced', async () => {
    const { namespace: name, teamId } = scene.stranger;
    // As after a new master key.
    const keys = masterKeys({ id: 'next', key: Buffer.alloc(32, 7) });
    const next = await scene.database.transaction((transaction) =>
      ensureDeliveryCredential(transaction, keys, { name, teamId, at: new Date() }),
    );
    expect((await read('/internal/secrets/site/password', credentials.stranger)).statusCode).toBe(401);
    expect((await read('/internal/secrets/site/password', next)).statusCode).toBe(404);
  });

  it('leaves an audit record of each read, and of denials without flooding the log', async () => {
    const records = await scene.database.query<{ outcome: string; target?: string; teamId?: string }>(
      "select outcome, target, team_id from audit_records where action = 'secret:read'",
    );
    expect(records).toContainEqual({ outcome: 'allowed', target: 'site/password', teamId: scene.owner.teamId });
    expect(records.filter(({ outcome }) => outcome === 'denied')).toHaveLength(1);
  });

  it('logs each read without its value, and counts it', async () => {
    const lines = scene.logged.filter((line) => line.includes('secret read for delivery'));
    expect(lines.length).toBeGreaterThan(0);
    expect(scene.logged.join('')).not.toContain('mSNG');
    const metrics = (await read('/metrics')).body;
    expect(metrics).toMatch(/berth_secret_deliveries_total\{outcome="delivered"\} [1-9]/);
    expect((await read('/healthz')).statusCode).toBe(200);
  });
});
