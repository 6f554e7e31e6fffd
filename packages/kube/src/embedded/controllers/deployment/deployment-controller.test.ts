import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../client/clock.ts';
import type { Controller } from '../../../client/controller.ts';
import { controllerReference } from '../../../client/owner.ts';
import { createSilentLogger } from '../../../client/testing/silent-logger.ts';
import type { Pod } from '../../../schema/kinds/pod.ts';
import type { Deployment, ReplicaSet } from '../../../schema/kinds/workload.ts';
import { DEPLOYMENT, POD, REPLICA_SET, SERVICE_ACCOUNT } from '../../../schema/resources.ts';
import { type Caches, createCaches } from '../../caches.ts';
import { type EmbeddedScene, startEmbeddedScene } from '../../testing/embedded-scene.ts';
import { eventually } from '../../testing/test-cluster.ts';
import { createDeploymentController } from './deployment-controller.ts';
import { revisionOf } from './replica-sets.ts';

let scene: EmbeddedScene;
let caches: Caches;
let controller: Controller;

/** The Deployment controller alone: what becomes of its ReplicaSets' pods is each test's to say. */
beforeAll(async () => {
  scene = await startEmbeddedScene();
  const account = { name: 'default', namespace: scene.namespace };
  await scene.client.create(SERVICE_ACCOUNT, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: account });
  const shared = { client: scene.client, logger: createSilentLogger([]), clock: systemClock };
  caches = createCaches(shared);
  controller = createDeploymentController({
    ...shared,
    caches,
    newId: randomUUID,
    events: { record: () => undefined },
  });
  await controller.start();
});
afterAll(async () => {
  await controller.stop();
  await caches.stop();
  await scene.end();
});

const podSpec = (image: string) => ({ containers: [{ name: 'web', image }] });

function deployment(name: string, spec: Partial<Deployment['spec']> = {}): Deployment {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: scene.namespace },
    spec: {
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: podSpec('one') },
      ...spec,
    },
  };
}

const change = (name: string, body: Record<string, unknown>) =>
  scene.client.patch(DEPLOYMENT, { namespace: scene.namespace, name }, { type: 'merge', body });
const toImage = (name: string, image: string) => change(name, { spec: { template: { spec: podSpec(image) } } });

/** Oldest revision first. */
async function setsOf(name: string): Promise<ReplicaSet[]> {
  const { items } = await scene.client.list<ReplicaSet>(REPLICA_SET, {
    namespace: scene.namespace,
    labelSelector: `app=${name}`,
  });
  return items.sort((one, other) => revisionOf(one) - revisionOf(other));
}

const sizes = (sets: ReplicaSet[]) => sets.map(({ spec }) => [spec.template.spec.containers[0]?.image, spec.replicas]);

describe('a Deployment', () => {
  it('hands what may change without a rollout to its current ReplicaSet', async () => {
    await scene.client.create(DEPLOYMENT, deployment('follow'));
    await eventually(async () => expect(await setsOf('follow')).toHaveLength(1));
    await change('follow', {
      metadata: { annotations: { 'kubernetes.io/change-cause': 'why' } },
      spec: { minReadySeconds: 7 },
    });
    await eventually(async () => {
      const [set, ...others] = await setsOf('follow');
      expect(others).toEqual([]);
      expect(set?.spec.minReadySeconds).toBe(7);
      expect(set?.metadata.annotations?.['kubernetes.io/change-cause']).toBe('why');
    });
  });

  it('that goes back to an earlier template makes that the newest revision', async () => {
    await scene.client.create(DEPLOYMENT, deployment('back', { replicas: 0 }));
    await eventually(async () => expect(await setsOf('back')).toHaveLength(1));
    await toImage('back', 'two');
    await eventually(async () => expect(await setsOf('back')).toHaveLength(2));
    await toImage('back', 'one');
    await eventually(async () => {
      const sets = await setsOf('back');
      expect(sets.map((set) => [set.spec.template.spec.containers[0]?.image, revisionOf(set)])).toEqual([
        ['two', 2],
        ['one', 3],
      ]);
    });
  });

  it('that recreates waits for what still runs, not for what has ended', async () => {
    await scene.client.create(DEPLOYMENT, deployment('anew', { replicas: 1, strategy: { type: 'Recreate' } }));
    const [set] = await eventually(async () => {
      const sets = await setsOf('anew');
      expect(sizes(sets)).toEqual([['one', 1]]);
      return sets;
    });
    const pod: Pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'anew-pod', namespace: scene.namespace, ownerReferences: [controllerReference(set!)] },
      spec: podSpec('one'),
    };
    const made = await scene.client.create<Pod>(POD, pod);
    await toImage('anew', 'two');
    const both = [
      ['one', 0],
      ['two', 0],
    ];
    await eventually(async () => expect(sizes(await setsOf('anew'))).toEqual(both));
    await scene.client.replace<Pod>(POD, { ...made, status: { phase: 'Failed' } }, { subresource: 'status' });
    await eventually(async () => expect(sizes(await setsOf('anew'))).toEqual([both[0], ['two', 1]]));
  });
});
