import { setTimeout as pause } from 'node:timers/promises';
import type { Deployment } from '@berth/core/deployment';
import type { UserDeploymentSpec, UserDeploymentStatus } from '@berth/core/user-deployment';
import { API_VERSION } from '@berth/core/user-deployment';
import type { KubeClient } from '@berth/kube/client/client';
import { systemClock as systemTimer } from '@berth/kube/client/clock';
import { startEmbeddedScene } from '@berth/kube/embedded/testing/embedded-scene';
import { NAMESPACE } from '@berth/kube/schema/resources';
import { isKubeError } from '@berth/kube/schema/status';
import { installDefinitions } from '../../kubernetes/definitions.ts';
import { USER_DEPLOYMENT } from '../../kubernetes/resource-types.ts';
import type { UserDeployment } from '../../kubernetes/user-deployment.ts';
import type { TestTenant } from '../../testing/tenants.ts';
import { type Applier, createApplier } from '../applier.ts';
import { createNamespaceKeeper, getOrUndefined, type NamespaceKeeper } from '../ensure-namespace.ts';
import { observeResource } from '../observe-resource.ts';
import { type Scene, startScene } from './scene.ts';

/**
 * A scene with a real API server. Applier and observer go step by step, as a test says, so that it can stop between any two; no
 * operator runs: tests write its part of a status themselves.
 */
export interface ClusterScene extends Scene {
  client: KubeClient;
  namespaces: NamespaceKeeper;
  applier: Applier;
  resource(name: string, who?: TestTenant): Promise<UserDeployment | undefined>;
  /** One look of the observer at a key, with the copy that it would have: by default what is there now. */
  observe(name: string, cached?: UserDeployment | 'absent', who?: TestTenant): Promise<void>;
  /** Applier and observer until neither finds anything to do. */
  settle(name: string, who?: TestTenant): Promise<void>;
  /** The deployment as the API tells it, or undefined when there is none. */
  shown(name: string, who?: TestTenant): Promise<Deployment | undefined>;
  /** As somebody with kubectl does. */
  kubectlApply(name: string, spec: UserDeploymentSpec, who?: TestTenant): Promise<UserDeployment>;
  kubectlEdit(name: string, spec: Partial<UserDeploymentSpec>, who?: TestTenant): Promise<void>;
  /** The operator's part of the status, for the generation that is there now. */
  operatorSays(name: string, status: UserDeploymentStatus): Promise<void>;
}

export const DELIVERY = { url: 'https://127.0.0.1:9', authority: 'PEM' };
const ROUNDS = 20;

export async function startClusterScene(options: { plan?: 'free' | 'business' } = {}): Promise<ClusterScene> {
  const cluster = await startEmbeddedScene();
  const { client } = cluster;
  await installDefinitions(client, { externalSecrets: 'install-if-missing' });
  const scene = await startScene({ ...options, client });
  const deps = { ...scene.deps, client, logger: scene.logger, delivery: DELIVERY };
  const namespaces = createNamespaceKeeper(deps);
  const applier = createApplier({ ...deps, namespaces, timer: systemTimer });
  const at = (name: string, who = scene.owner) => ({ name, namespace: who.namespace });

  const resource: ClusterScene['resource'] = (name, who) =>
    getOrUndefined(() => client.get<UserDeployment>(USER_DEPLOYMENT, at(name, who)));
  const observe: ClusterScene['observe'] = async (name, cached, who = scene.owner) => {
    const seen = cached === 'absent' ? undefined : (cached ?? (await resource(name, who)));
    // A copy that was old: the controller looks again later.
    await observeResource(deps, `${who.namespace}/${name}`, seen).catch((error: unknown) => {
      if (!isKubeError(error, 'Conflict')) throw error;
    });
  };
  const ensureNamespace = async (who: TestTenant) => {
    if (await getOrUndefined(() => client.get(NAMESPACE, { name: who.namespace }))) return;
    await client.create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: who.namespace } });
  };

  return {
    ...scene,
    client,
    namespaces,
    applier,
    resource,
    observe,
    async settle(name, who = scene.owner) {
      let last = '';
      for (let round = 0; round < ROUNDS; round++) {
        while (await applier.step());
        await observe(name, undefined, who);
        const now = JSON.stringify([
          await resource(name, who),
          await scene.database.query('select * from deployments'),
        ]);
        if (now === last) return;
        last = now;
      }
      throw new Error(`${name} does not settle: ${last}`);
    },
    async shown(name, who = scene.owner) {
      const answer = await scene.send(who, 'GET', `/api/deployments?team=${who.teamId}&name=${name}`);
      return answer.json().items[0];
    },
    async kubectlApply(name, spec, who = scene.owner) {
      await ensureNamespace(who);
      const object: UserDeployment = { apiVersion: API_VERSION, kind: 'UserDeployment', metadata: at(name, who), spec };
      return client.apply(USER_DEPLOYMENT, object, { fieldManager: 'kubectl', force: true });
    },
    async kubectlEdit(name, spec, who) {
      const body = { spec };
      await client.patch(USER_DEPLOYMENT, at(name, who), { type: 'merge', body }, { fieldManager: 'kubectl-edit' });
    },
    async operatorSays(name, status) {
      const present = await resource(name);
      const observedGeneration = present?.metadata.generation;
      const body = { status: { ...status, observedGeneration } };
      const options = { fieldManager: 'berth-operator', subresource: 'status' as const };
      await client.patch(USER_DEPLOYMENT, at(name), { type: 'merge', body }, options);
    },
    async end() {
      await scene.end();
      await cluster.end();
    },
  };
}

/** Polls, for what real workers do in their own time. */
export async function until(what: string, holds: () => Promise<unknown>, withinMs = 20_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`this did not happen in time: ${what}`);
    await pause(20);
  }
}
