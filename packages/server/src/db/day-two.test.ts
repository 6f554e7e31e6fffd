import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../testing/postgres.ts';
import { migrate, migrationsDirectory } from './migrate.ts';

/** What an older release wrote, brought to this one. */
let database: TestDatabase;
let older: string;
beforeAll(async () => {
  database = await createTestDatabase({ migrated: false });
  older = await mkdtemp(join(tmpdir(), 'berth-older-'));
  for (const name of ['0001-first.sql', '0002-outbox-claims.sql']) {
    await cp(join(migrationsDirectory(), name), join(older, name));
  }
  await migrate(database, older);
});
afterAll(async () => {
  await database.close();
  await rm(older, { recursive: true });
});

const SPEC = {
  displayName: 'Shop',
  template: { name: 'guestbook', version: '1.2.0' },
  services: [{ name: 'web', image: 'i' }],
  exposure: [
    { host: 'other.test', service: 'web', port: 'http' },
    { host: 'shop.test', service: 'web', port: 'http' },
  ],
};

it('revisions that are there already are filled with what their spec tells', async () => {
  await database.execute("insert into organizations values ('o', 'O', false, 'free', now())");
  await database.execute("insert into teams values ('t', 'o', 'T', 'berth-t', 0, now())");
  await database.execute(
    `insert into deployments (id, team_id, organization_id, name, spec, desired, revision, host, phase, created_by, created_at, updated_at)
     values ('d', 't', 'o', 'shop', $1, 'running', 2, 'shop.test', 'Running', 'x', now(), now())`,
    [JSON.stringify(SPEC)],
  );
  await database.execute(
    `insert into revisions (deployment_id, revision, summary, spec, parameter_values, made_by, created_at)
     values ('d', 1, 'made', '{"services": []}', '{}', 'x', now()), ('d', 2, 'changed', $1, '{}', 'x', now())`,
    [JSON.stringify(SPEC)],
  );
  await database.execute("insert into templates values ('guestbook', '1.2.0', '{}', true, now())");
  await migrate(database);
  expect(
    await database.query(
      `select revision, template_name, template_version, display_name, host, aliases, replicas, outcome, changed_secrets
       from revisions order by revision`,
    ),
  ).toEqual([
    { revision: 1, aliases: [], replicas: {}, outcome: 'replaced', changedSecrets: [] },
    {
      revision: 2,
      templateName: 'guestbook',
      templateVersion: '1.2.0',
      displayName: 'Shop',
      host: 'shop.test',
      aliases: [],
      replicas: {},
      outcome: 'pending',
      changedSecrets: [],
    },
  ]);
  const [deployment] = await database.query('select aliases, replicas, paused from deployments');
  expect(deployment).toEqual({ aliases: [], replicas: {}, paused: false });
});
