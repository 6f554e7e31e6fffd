import type { KubeObject } from '@berth/kube/schema/object';
import { NAMESPACE, RESOURCE_QUOTA } from '@berth/kube/schema/resources';
import { KubeError } from '@berth/kube/schema/status';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { USER_DEPLOYMENT } from '../kubernetes/resource-types.ts';
import { applyDeployment } from './apply-deployment.ts';
import { applyFailure } from './apply-failure.ts';
import { createNamespaceKeeper, type NamespaceKeeper } from './ensure-namespace.ts';
import type { TeamNamespace } from './namespace.ts';
import { type ClusterScene, DELIVERY, startClusterScene } from './testing/cluster-scene.ts';

let scene: ClusterScene;
let team: TeamNamespace;
beforeAll(async () => {
  scene = await startClusterScene();
  team = { teamId: scene.owner.teamId, namespace: scene.owner.namespace, plan: 'business' };
});
afterAll(() => scene.end());

/** With a client that may write to no Namespace, as an installation of this kind. */
function confinedKeeper(confinedTo: string[]): NamespaceKeeper {
  const client: ClusterScene['client'] = {
    ...scene.client,
    apply: (type, object, options) =>
      type === NAMESPACE
        ? Promise.reject(new KubeError(403, 'Forbidden', 'namespaces is forbidden'))
        : scene.client.apply(type, object, options),
  };
  return createNamespaceKeeper({ ...scene.deps, client, delivery: DELIVERY, confinedTo });
}

const refusal = async (confinedTo: string[]) => {
  const error = await confinedKeeper(confinedTo)
    .ensure(team)
    .catch((caught: unknown) => caught);
  return applyFailure(error, { attempts: 0, random: () => 0.5, shownFrom: 3 });
};

describe('an installation that is confined to namespaces made beforehand', () => {
  it('says what to do when the team’s is not among them, not there, or without the labels that keep it safe', async () => {
    expect(await refusal(['other'])).toMatchObject({
      refused: true,
      message: expect.stringContaining('rbac.namespaces'),
    });
    expect((await refusal([team.namespace])).message).toContain(`kubectl create namespace ${team.namespace}`);
    const namespace: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: team.namespace } };
    await scene.client.create(NAMESPACE, namespace);
    expect((await refusal([team.namespace])).message).toContain(
      `kubectl label --overwrite namespace ${team.namespace} berth.dev/team=${team.teamId} pod-security.kubernetes.io/enforce=restricted`,
    );
  });

  it('fills one that is prepared with everything else', async () => {
    const labels = { 'berth.dev/team': team.teamId, 'pod-security.kubernetes.io/enforce': 'restricted' };
    const at = { name: team.namespace };
    await scene.client.patch(NAMESPACE, at, { type: 'merge', body: { metadata: { labels } } });
    await confinedKeeper([team.namespace]).ensure(team);
    const quota = await scene.client.get<KubeObject>(RESOURCE_QUOTA, { name: 'berth-plan', namespace: team.namespace });
    expect(quota.spec).toHaveProperty('hard');
  });

  it('tells in words of a deployment where it may not enter, and lets it be removed', async () => {
    const client: ClusterScene['client'] = {
      ...scene.client,
      get: (type, at, options) =>
        type === USER_DEPLOYMENT
          ? Promise.reject(new KubeError(403, 'Forbidden', 'userdeployments is forbidden'))
          : scene.client.get(type, at, options),
    };
    const deps = { ...scene.deps, client, namespaces: confinedKeeper(['other']) };
    const made = await scene.create({ name: 'outside', template: 'plain' });
    await expect(applyDeployment(deps, made.id)).rejects.toThrow('rbac.namespaces');
    await scene.send(scene.owner, 'DELETE', `/api/deployments/${made.id}?confirm=outside`);
    await applyDeployment(deps, made.id);
    expect(await scene.shown('outside')).toBeUndefined();
  });
});
