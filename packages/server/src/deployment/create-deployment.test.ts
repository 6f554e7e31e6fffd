import type { Deployment, DeploymentPreview } from '@berth/core/deployment';
import type { Problem } from '@berth/core/errors';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTenant } from '../testing/tenants.ts';
import { type Scene, startScene } from './testing/scene.ts';
import { publish, testTemplate } from './testing/templates.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene();
});
afterAll(() => scene.end());

const refused = async (body: Record<string, unknown>, who = scene.owner): Promise<Problem> => {
  const answer = await scene.send(who, 'POST', '/api/deployments', { body: { team: who.teamId, ...body } });
  expect(answer.statusCode).toBeGreaterThanOrEqual(400);
  return answer.json();
};
const count = async (sql: string, values: unknown[] = []): Promise<number> => {
  const [row] = await scene.database.query<{ n: number }>(`select count(*) as n from ${sql}`, values);
  return row?.n ?? -1;
};

describe('a create', () => {
  it('writes row, revision, claim, outbox entry, activity and audit record together', async () => {
    const made = await scene.create({ name: 'first', template: 'plain', values: { title: 'A' } });
    expect(made).toMatchObject({
      name: 'first',
      phase: 'Pending',
      desired: 'running',
      revision: 1,
      host: 'first.apps.test',
      url: 'http://first.apps.test:7000',
      values: { title: 'A' },
      createdBy: scene.owner.email,
    });
    expect(await count('revisions where deployment_id = $1', [made.id])).toBe(1);
    expect(await count('host_claims where deployment_id = $1', [made.id])).toBe(1);
    expect(await count('outbox where deployment_id = $1', [made.id])).toBe(1);
    expect(await count("activity where deployment_id = $1 and kind = 'created'", [made.id])).toBe(1);
    expect(await count("audit_records where target = 'first' and outcome = 'allowed'")).toBe(1);
  });

  it('is seen by its team and is a 404 for everybody else', async () => {
    const made = await scene.create({ name: 'mine', template: 'plain' });
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/stop'],
      ['GET', '/removal'],
      ['GET', '/revisions'],
      ['GET', '/activity'],
    ] as const) {
      const body = method === 'PATCH' ? { body: {} } : {};
      const answer = await scene.send(scene.stranger, method, `/api/deployments/${made.id}${path}`, body);
      expect([path, answer.statusCode]).toEqual([path, 404]);
    }
    const list = await scene.send(scene.stranger, 'GET', `/api/deployments?team=${scene.owner.teamId}`);
    expect(list.statusCode).toBe(404);
  });

  it('refuses a taken name with a free one, in its team only', async () => {
    await scene.create({ name: 'shop', template: 'plain' });
    expect(await refused({ name: 'shop', template: 'plain', host: 'other' })).toMatchObject({
      code: 'name_taken',
      suggestion: 'shop-2',
    });
    await scene.create({ name: 'shop', template: 'plain', host: 'strangers-shop' }, scene.stranger);
  });

  it('refuses a taken host in any spelling, whoever holds it, with a free one', async () => {
    await scene.create({ name: 'hosted', template: 'plain', host: 'Shop.Example.com.' });
    for (const host of ['shop.example.com', 'SHOP.example.COM', 'shop.example.com.']) {
      const problem = await refused({ name: 'hosted', template: 'plain', host }, scene.stranger);
      expect(problem).toMatchObject({ code: 'host_taken', suggestion: 'shop-2' });
    }
  });

  it.each([
    ['*.example.com', 'wildcard'],
    ['platform.apps.test', 'platform itself'],
    ['apps.test', 'platform itself'],
    ['a b', 'is not a host name'],
  ])('refuses the host %s', async (host, why) => {
    const problem = await refused({ name: 'refused-host', template: 'plain', host });
    expect(problem).toMatchObject({ code: 'invalid_input', fields: [{ path: 'host' }] });
    expect(problem.detail).toContain(why);
  });

  it('leaves nothing behind when it fails', async () => {
    const before = await count('deployments');
    await refused({ name: 'half', template: 'vault', values: { password: 'secret', title: 'x' }, host: 'shop' });
    expect(await count('deployments')).toBe(before);
    expect(await count('secrets where path not in (select id from deployments)')).toBe(0);
  });

  it('names the field that is wrong', async () => {
    expect(await refused({ name: 'x', template: 'nothing' })).toMatchObject({ fields: [{ path: 'template' }] });
    expect(await refused({ name: 'x', template: 'plain', version: '9.9.9' })).toMatchObject({
      fields: [{ path: 'version' }],
    });
    expect(await refused({ name: 'x', template: 'plain', values: { color: 'red' } })).toMatchObject({
      fields: [{ path: 'values.color' }],
    });
    expect(await refused({ name: 'x', template: 'vault' })).toMatchObject({ fields: [{ path: 'values.password' }] });
    expect(await refused({ name: 'x', template: 'plain', values: { title: 'a\0b' } })).toMatchObject({
      fields: [{ path: 'values.title' }],
    });
    expect(await refused({ name: 'x', template: 'plain', displayName: 'a\0b' })).toMatchObject({
      fields: [{ path: 'displayName' }],
    });
  });

  it('case 4: takes names that share 60 characters, and refuses one of 64', async () => {
    const head = 'a'.repeat(60);
    const one = await scene.create({ name: `${head}-x1`, template: 'plain' });
    const two = await scene.create({ name: `${head}-x2`, template: 'plain' });
    expect(one.host).not.toBe(two.host);
    expect(await refused({ name: 'a'.repeat(64), template: 'plain' })).toMatchObject({
      code: 'invalid_input',
      fields: [{ path: 'name' }],
    });
    const full = 'b'.repeat(63);
    await scene.create({ name: full, template: 'plain', host: 'full' });
    const taken = await refused({ name: full, template: 'plain', host: 'full2' });
    expect(taken.suggestion).toHaveLength(63);
    await scene.create({ name: taken.suggestion, template: 'plain', host: 'full3' });
  });

  it('case 5: takes a file of 300 KiB, and refuses more than fits with a size before anything is written', async () => {
    const file = (size: number) => 'x'.repeat(size);
    const files = (sizes: number[]) =>
      testTemplate('files', {
        services: [
          {
            name: 'web',
            image: 'berth.dev/whoami:1',
            ports: [{ name: 'http', port: 8080 }],
            files: sizes.map((size, index) => ({ path: `/etc/f${index}`, content: file(size) })),
          },
        ],
      });
    await publish(scene.database, files([300 * 1024]));
    await scene.create({ name: 'small-file', template: 'files' });
    await publish(scene.database, files([500 * 1024, 500 * 1024, 100 * 1024]));
    const problem = await refused({ name: 'large-file', template: 'files' });
    expect(problem).toMatchObject({ code: 'payload_too_large', status: 413 });
    expect(problem.detail).toMatch(/\d{7} bytes/);
    expect(await count("deployments where name = 'large-file'")).toBe(0);
    const env = Array.from({ length: 10 }, (_, index) => ({ name: `V${index}`, value: file(112 * 1024) }));
    await publish(
      scene.database,
      testTemplate('large-env', {
        services: [{ name: 'web', image: 'i', ports: [{ name: 'http', port: 80 }], env: env.slice(0, 5) }],
      }),
    );
    await scene.create({ name: 'half-env', template: 'large-env' });
    await scene.database.execute(
      "update templates set spec = jsonb_set(spec, '{services,0,env}', $1) where name = 'large-env'",
      [JSON.stringify(env)],
    );
    const tooMuch = await refused({ name: 'large-env', template: 'large-env' });
    expect(tooMuch.detail).toMatch(/environment is \d+ bytes/);
  });
});

describe('a preview', () => {
  const preview = (body: Record<string, unknown>) =>
    scene.send(scene.owner, 'POST', '/api/deployments/preview', { body: { team: scene.owner.teamId, ...body } });

  it('tells what would be made and makes nothing', async () => {
    const before = await count('deployments');
    const answer = await preview({
      name: 'seen',
      template: 'vault',
      values: { password: 'p' },
      host: 'seen.example.org',
    });
    expect(answer.statusCode).toBe(200);
    const seen: DeploymentPreview = answer.json();
    expect(seen).toMatchObject({
      host: 'seen.example.org',
      services: [{ name: 'web', replicas: 1, volumes: [{ name: 'data', size: '1Gi' }] }],
      jobs: [],
      uses: { cpu: 0.1, memory: 64 * 2 ** 20, storage: 2 ** 30 },
      plan: { deployments: { allowed: 25 } },
    });
    expect(seen.warnings).toEqual([expect.stringContaining('DNS'), expect.stringContaining('down for some seconds')]);
    expect(await count('deployments')).toBe(before);
    expect(await count("host_claims where host = 'seen.example.org'")).toBe(0);
  });

  it('names the jobs too, and when they run', async () => {
    const jobs = [
      { name: 'migrate', image: 'i' },
      { name: 'tidy', image: 'i', schedule: '@daily' },
    ];
    await publish(scene.database, testTemplate('with-jobs', { jobs }));
    const seen: DeploymentPreview = (await preview({ name: 'jobs', template: 'with-jobs' })).json();
    expect(seen.jobs).toEqual(jobs);
  });

  it('warns of variables that no shell can read', async () => {
    const env = [
      { name: 'spring.datasource.url', value: 'x' },
      { name: 'good_key', value: 'y' },
    ];
    await publish(
      scene.database,
      testTemplate('dotted', { services: [{ name: 'web', image: 'i', ports: [{ name: 'http', port: 80 }], env }] }),
    );
    const seen: DeploymentPreview = (await preview({ name: 'dots', template: 'dotted' })).json();
    expect(seen.warnings).toEqual([expect.stringContaining('spring.datasource.url')]);
    expect(seen.warnings[0]).not.toContain('good_key');
  });

  it('refuses what a create would refuse', async () => {
    await scene.create({ name: 'there', template: 'plain' });
    expect((await preview({ name: 'there', template: 'plain' })).json()).toMatchObject({ code: 'name_taken' });
    expect((await preview({ name: 'new', template: 'plain', host: 'there' })).json()).toMatchObject({
      code: 'host_taken',
    });
    expect((await preview({ name: 'new', template: 'vault' })).json()).toMatchObject({ code: 'invalid_input' });
  });
});

describe('many at once', () => {
  it('case 23: of 20 creates with one slot left exactly one succeeds, and a failed one gives its slot back', async () => {
    const who = await createTenant(scene.database, 'Free', { plan: 'free' });
    await scene.create({ name: 'one', template: 'plain', host: 'free-one' }, who);
    const two = await scene.create({ name: 'two', template: 'plain', host: 'free-two' }, who);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        scene.send(who, 'POST', '/api/deployments', {
          body: { team: who.teamId, name: `race-${index}`, template: 'plain', host: `race-limit-${index}` },
        }),
      ),
    );
    const made = answers.filter(({ statusCode }) => statusCode === 201);
    expect(made).toHaveLength(1);
    for (const answer of answers.filter(({ statusCode }) => statusCode !== 201)) {
      expect(answer.json()).toMatchObject({
        code: 'limit_reached',
        limit: { resource: 'deployments', used: 3, allowed: 3 },
      });
    }
    expect(await count("host_claims where host like 'race-limit-%'")).toBe(1);
    await scene.send(who, 'DELETE', `/api/deployments/${two.id}`);
    // Fails at its host, after its slot was taken.
    expect(await refused({ name: 'again', template: 'plain', host: 'free-one' }, who)).toMatchObject({
      code: 'host_taken',
    });
    await scene.create({ name: 'again', template: 'plain', host: 'free-again' }, who);
  });

  it('of 20 that ask for one host, in two organizations, exactly one gets it', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const who = index % 2 === 0 ? scene.owner : scene.stranger;
        const body = { team: who.teamId, name: `host-race-${index}`, template: 'plain', host: 'wanted.example.com' };
        return scene.send(who, 'POST', '/api/deployments', { body });
      }),
    );
    expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(1);
    const losers = answers.filter(({ statusCode }) => statusCode !== 201).map((each) => each.json().code);
    expect(new Set(losers)).toEqual(new Set(['host_taken']));
    expect(await count("deployments where name like 'host-race-%'")).toBe(1);
  });
});

describe('an Idempotency-Key', () => {
  const keyed = (key: string, body: Record<string, unknown>, who = scene.owner) =>
    scene.send(who, 'POST', '/api/deployments', {
      body: { team: who.teamId, ...body },
      headers: { 'idempotency-key': key },
    });

  it('replays the first answer, also for another order of the same fields', async () => {
    const first = await keyed('k1', { name: 'idem', template: 'plain', values: { title: 'x' } });
    const again = await keyed('k1', { values: { title: 'x' }, template: 'plain', name: 'idem' });
    expect([first.statusCode, again.statusCode]).toEqual([201, 201]);
    expect(again.json()).toEqual(first.json());
    expect(await count("deployments where name = 'idem'")).toBe(1);
  });

  it('is refused for a different request', async () => {
    await keyed('k2', { name: 'idem-two', template: 'plain' });
    const other = await keyed('k2', { name: 'idem-three', template: 'plain' });
    expect(other.json()).toMatchObject({ code: 'idempotency_mismatch', status: 422 });
    expect(await count("deployments where name = 'idem-three'")).toBe(0);
  });

  it('is each person’s own', async () => {
    const mine = await keyed('k3', { name: 'own', template: 'plain', host: 'own-a' });
    const theirs = await keyed('k3', { name: 'own', template: 'plain', host: 'own-b' }, scene.stranger);
    expect(theirs.statusCode).toBe(201);
    expect(theirs.json().id).not.toBe(mine.json().id);
  });

  it('lets one of ten at once do the work and gives the others its answer', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => keyed('k4', { name: 'storm', template: 'plain' })),
    );
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(10).fill(201));
    expect(new Set(answers.map((each) => (each.json() as Deployment).id)).size).toBe(1);
    expect(await count("deployments where name = 'storm'")).toBe(1);
  });

  it('remembers nothing of a request that failed', async () => {
    const blocker = await scene.create({ name: 'blocker', template: 'plain' });
    expect((await keyed('k5', { name: 'later', template: 'plain', host: 'blocker' })).statusCode).toBe(409);
    await scene.database.execute('delete from host_claims where deployment_id = $1', [blocker.id]);
    expect((await keyed('k5', { name: 'later', template: 'plain', host: 'blocker' })).statusCode).toBe(201);
  });
});
