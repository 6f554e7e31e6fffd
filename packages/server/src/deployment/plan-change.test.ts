import { systemClock as systemTimer } from '@berth/kube/client/clock';
import type { KubeObject } from '@berth/kube/schema/object';
import { RESOURCE_QUOTA } from '@berth/kube/schema/resources';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApplier } from './applier.ts';
import { createNamespaceKeeper, type NamespaceKeeper } from './ensure-namespace.ts';
import { ensureTeamNamespace } from './ensure-team-namespace.ts';
import { type ClusterScene, DELIVERY, startClusterScene } from './testing/cluster-scene.ts';

let scene: ClusterScene;
beforeAll(async () => {
  scene = await startClusterScene({ plan: 'free' });
  await scene.database.execute('update users set platform_admin = true where id = $1', [scene.stranger.userId]);
});
afterAll(() => scene.end());

const FREE = { 'requests.cpu': '2', 'requests.memory': '2Gi', 'requests.storage': '5Gi' };
const BUSINESS = { 'requests.cpu': '16', 'requests.memory': '64Gi', 'requests.storage': '500Gi' };

const drain = async () => {
  while (await scene.applier.step());
};
const queued = async () =>
  (await scene.database.query<{ deploymentId: string }>('select deployment_id from outbox')).map(
    (row) => row.deploymentId,
  );
/** The other person is the administrator, and no member of the organization. */
const choose = (plan: string) =>
  scene.send(scene.stranger, 'PATCH', `/api/organizations/${scene.owner.organizationId}/plan`, { body: { plan } });
const hardLimits = async () => {
  const at = { name: 'berth-plan', namespace: scene.owner.namespace };
  const { spec } = await scene.client.get<KubeObject & { spec?: { hard?: object } }>(RESOURCE_QUOTA, at);
  return spec?.hard ?? {};
};

describe('another plan', () => {
  it('reaches the quota of the team’s namespace, up and down and to no limit', async () => {
    await scene.create({ name: 'first', template: 'plain' });
    await drain();
    expect(await hardLimits()).toEqual(FREE);
    for (const [plan, hard] of [
      ['business', BUSINESS],
      ['enterprise', {}],
      ['free', FREE],
    ] as const) {
      expect((await choose(plan)).json()).toMatchObject({ id: scene.owner.organizationId, plan });
      await drain();
      expect(await hardLimits()).toEqual(hard);
    }
    expect(await queued()).toEqual([]);
  });

  it('asks for what is wanted of the organization, and for nothing of others', async () => {
    const made = await scene.create({ name: 'second', template: 'plain' });
    const gone = await scene.create({ name: 'gone', template: 'plain' });
    await scene.create({ name: 'elsewhere', template: 'plain' }, scene.stranger);
    await scene.send(scene.owner, 'DELETE', `/api/deployments/${gone.id}`);
    await drain();
    await choose('business');
    const wanted = await scene.database.query<{ id: string }>(
      "select id from deployments where organization_id = $1 and desired <> 'deleted'",
      [scene.owner.organizationId],
    );
    expect((await queued()).sort()).toEqual(wanted.map(({ id }) => id).sort());
    expect(await queued()).toContain(made.id);
    await drain();
  });

  it('takes nothing away when it is smaller, and refuses only what would be new', async () => {
    await choose('business');
    for (const name of ['third', 'fourth']) await scene.create({ name, template: 'plain' });
    await drain();
    expect((await choose('free')).statusCode).toBe(200);
    await drain();
    const { items } = (await scene.send(scene.owner, 'GET', `/api/deployments?team=${scene.owner.teamId}`)).json();
    expect(items.length).toBeGreaterThan(3);
    for (const { name } of items as { name: string }[]) expect(await scene.resource(name)).toBeDefined();
    const body = { team: scene.owner.teamId, name: 'fifth', template: 'plain' };
    const refused = await scene.send(scene.owner, 'POST', '/api/deployments', { body });
    expect(refused.json()).toMatchObject({ code: 'limit_reached', limit: { allowed: 3 } });
    const usage = (await scene.send(scene.owner, 'GET', `/api/teams/${scene.owner.teamId}/usage`)).json();
    expect(usage).toMatchObject({ plan: 'free', deployments: { used: items.length, allowed: 3 } });
  });

  it('arrives also when the server that took the request was killed: by another, which knows of nothing', async () => {
    await choose('business');
    expect(await hardLimits()).toEqual(FREE);
    const deps = { ...scene.deps, client: scene.client, logger: scene.logger, delivery: DELIVERY };
    const other = createApplier({ ...deps, namespaces: createNamespaceKeeper(deps), timer: systemTimer });
    while (await other.step());
    expect(await hardLimits()).toEqual(BUSINESS);
  });

  it('that comes while the one before is being written is what stays', async () => {
    const deps = { ...scene.deps, client: scene.client, delivery: DELIVERY };
    const keeper = createNamespaceKeeper(deps);
    const place = { ...scene.owner };
    await choose('free');
    let overtaken = false;
    const slow: NamespaceKeeper = {
      ...keeper,
      async ensure(team) {
        // Another server has brought the new plan before this one writes the old.
        if (!overtaken) {
          overtaken = true;
          await choose('enterprise');
          await drain();
        }
        await keeper.ensure(team);
      },
    };
    await ensureTeamNamespace({ database: scene.database, namespaces: slow }, place);
    expect(await hardLimits()).toEqual({});
  });
});
