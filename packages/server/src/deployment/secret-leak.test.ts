import type { KubeObject } from '@berth/kube/schema/object';
import { SECRET } from '@berth/kube/schema/resources';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EXTERNAL_SECRET, SECRET_STORE, USER_DEPLOYMENT } from '../kubernetes/resource-types.ts';
import { buildInternalApp } from '../secret/internal-app.ts';
import { type ClusterScene, startClusterScene } from './testing/cluster-scene.ts';

let scene: ClusterScene;
beforeAll(async () => {
  scene = await startClusterScene();
});
afterAll(() => scene.end());

/** Cases 1 and 2: what went wrong in the field when something on the way read a value as more than bytes. */
const VALUES = {
  password: '$2a$12$mSNGEiOT7urQP/Xs10XzPur A=dsfla83hkh$ksdhc B=$(A) C=$$(A)',
  optional: `X="array:'self',blob:,https://*" = # 🦭`,
  key: '-----BEGIN KEY-----\r\nMIIleak\\n\n-----END KEY-----\n',
};
const CHANGED = 'another $(VALUE) that nobody may see';
/** Parts that no encoding used here would change. */
const MARKS = ['mSNGEiOT7urQP', 'dsfla83hkh', 'blob:,https', 'MIIleak', 'that nobody may see'];

it('cases 1 and 2: a secret comes out byte for byte, and is in plain text nowhere on its way', async () => {
  const { owner, client } = scene;
  const answers: string[] = [];
  const call = async (...parameters: Parameters<ClusterScene['send']>) => {
    const answer = await scene.send(...parameters);
    answers.push(answer.body, JSON.stringify(answer.headers));
    return answer;
  };
  const body = { team: owner.teamId, name: 'vault', template: 'vault', values: VALUES };
  const headers = { 'idempotency-key': 'leak' };
  await call(owner, 'POST', '/api/deployments/preview', { body });
  const { id } = (await call(owner, 'POST', '/api/deployments', { body, headers })).json();
  await call(owner, 'POST', '/api/deployments', { body, headers });
  await call(owner, 'POST', '/api/deployments', {
    body: { ...body, values: { ...VALUES, password: CHANGED } },
    headers,
  });
  await call(owner, 'POST', '/api/deployments', { body: { ...body, name: 'x', values: { ...VALUES, nope: 1 } } });
  await call(owner, 'PATCH', `/api/deployments/${id}`, { body: { values: { ...VALUES, password: `${CHANGED}\0` } } });
  await scene.settle('vault');

  const internal = buildInternalApp({
    ...scene.deps,
    metrics: new Registry(),
    logger: scene.logger,
    healthy: () => true,
  });
  const secret = await client.get<KubeObject>(SECRET, { name: 'berth-delivery', namespace: owner.namespace });
  const token = Buffer.from((secret.data as { token: string }).token, 'base64').toString();
  const deliver = async (key: string) =>
    (
      await internal.inject({ url: `/internal/secrets/vault/${key}`, headers: { authorization: `Bearer ${token}` } })
    ).json();
  for (const [key, value] of Object.entries(VALUES)) expect(await deliver(key)).toEqual({ value });
  const generated: string = (await deliver('generated')).value;
  await call(owner, 'PATCH', `/api/deployments/${id}`, { body: { values: { ...VALUES, password: CHANGED } } });
  expect(await deliver('password')).toEqual({ value: CHANGED });
  await internal.close();
  await scene.settle('vault');

  await call(owner, 'POST', `/api/deployments/${id}/preview`, { body: { values: { ...VALUES, title: 'T' } } });
  await call(owner, 'POST', `/api/deployments/${id}/rollback`, { body: { revision: 1 } });
  const copy = (await call(owner, 'POST', `/api/deployments/${id}/clone`, { body: { name: 'copy' } })).json();
  await scene.settle('vault');
  await scene.settle('copy');
  const copied = { teamId: owner.teamId, path: copy.id };
  expect(await scene.deps.secrets.get(scene.database, { ...copied, key: 'key' })).toBe(VALUES.key);
  expect(await scene.deps.secrets.get(scene.database, { ...copied, key: 'password' })).toBe(CHANGED);

  for (const path of ['', '/removal', '/revisions', '/revisions/2', '/revisions/1?against=3', '/activity'])
    await call(owner, 'GET', `/api/deployments/${id}${path}`);
  await call(owner, 'GET', `/api/deployments?team=${owner.teamId}`);
  await call(owner, 'GET', `/api/audit?team=${owner.teamId}`);

  const places: Record<string, string> = {
    answers: answers.join('\n'),
    log: scene.logged.join('\n'),
    tables: await everyTable(),
    cluster: JSON.stringify(
      await Promise.all([USER_DEPLOYMENT, EXTERNAL_SECRET, SECRET_STORE].map((type) => client.list(type))),
    ),
  };
  for (const [place, text] of Object.entries(places)) {
    expect(text.length, `${place} was looked at`).toBeGreaterThan(100);
    for (const mark of [...MARKS, generated, token]) {
      expect(text.includes(mark), `"${mark}" is in ${place}`).toBe(false);
      expect(
        text.includes(Buffer.from(mark).toString('base64').replace(/=+$/, '')),
        `"${mark}" is encoded in ${place}`,
      ).toBe(false);
    }
  }
});

/** Every row of every table as text, bytes as characters. */
async function everyTable(): Promise<string> {
  const { database } = scene;
  const tables = await database.query<{ name: string }>(
    "select table_name as name from information_schema.tables where table_schema = 'public'",
  );
  const texts = await Promise.all(
    tables.map(async ({ name }) => {
      const rows = await database.query<{ text: string }>(`select t::text as text from ${name} t`);
      return rows.map(({ text }) => text).join('\n');
    }),
  );
  const [bytes] = await database.query<{ text: string }>(
    "select string_agg(encode(ciphertext, 'escape') || encode(wrapped_key, 'escape'), ' ') as text from secrets",
  );
  return [...texts, bytes?.text ?? ''].join('\n');
}
