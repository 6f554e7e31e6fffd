import type { KubeClient } from '@berth/kube/client/client';
import { createReflector } from '@berth/kube/client/reflector';
import { createSilentLogger } from '@berth/kube/client/testing/silent-logger';
import type { Pod } from '@berth/kube/schema/kinds/pod';
import type { KubeObject } from '@berth/kube/schema/object';
import { LEASE, NODE, POD } from '@berth/kube/schema/resources';
import { KubeError } from '@berth/kube/schema/status';

/** A node that runs nothing and says that all of it runs: what a control plane needs so that deployments become ready. */
export interface PicturedNode {
  stop(): Promise<void>;
}

const NAME = 'pictured';
const HEARTBEAT_MS = 10_000;
const LEASES = 'kube-node-lease';

export async function startPicturedNode(client: KubeClient): Promise<PicturedNode> {
  const capacity = { cpu: '1000', memory: '1000Gi', pods: '10000', 'ephemeral-storage': '1000Gi' };
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: NAME, labels: { 'kubernetes.io/hostname': NAME } } };
  await client.apply(NODE, node, { fieldManager: NAME, force: true });
  const body = { status: { capacity, allocatable: capacity } };
  await client.patch(NODE, { name: NAME }, { type: 'merge', body }, { subresource: 'status' });
  // The controller of nodes marks a new one as not ready until it has seen it.
  const untaint = { spec: { taints: null } };
  await client.patch(NODE, { name: NAME }, { type: 'merge', body: untaint });
  await beat(client);
  const heart = setInterval(() => void beat(client).catch(ignoreAbsence), HEARTBEAT_MS);
  const pods = createReflector<Pod>({ client, type: POD, logger: createSilentLogger() });
  pods.onChange(NAME, (change) => {
    if (change.type !== 'deleted') void answer(client, change.object).catch(ignoreAbsence);
  });
  pods.start();
  await pods.synced;
  return {
    async stop() {
      clearInterval(heart);
      await pods.stop();
    },
  };
}

async function beat(client: KubeClient): Promise<void> {
  const now = new Date().toISOString().replace('Z', '000Z');
  const spec = { holderIdentity: NAME, leaseDurationSeconds: 40, renewTime: now };
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: NAME, namespace: LEASES } };
  await client.apply(LEASE, { ...lease, spec } as KubeObject, { fieldManager: NAME, force: true });
  // One that was away too long was declared lost.
  const body = { status: { conditions: [condition('Ready', 'KubeletReady')] } };
  await client.patch(NODE, { name: NAME }, { type: 'merge', body }, { subresource: 'status' });
}

/** What a kubelet would say of a pod, at once: it runs, it has succeeded, it is gone. */
async function answer(client: KubeClient, { metadata, spec, status }: Pod): Promise<void> {
  if (spec.nodeName !== NAME) return;
  const at = { name: metadata.name, namespace: metadata.namespace ?? '' };
  if (metadata.deletionTimestamp !== undefined) {
    await client.delete(POD, at, { gracePeriodSeconds: 0 });
    return;
  }
  const isLost = status?.phase === 'Running' && !isReady(status);
  if (status?.phase !== 'Pending' && status?.phase !== undefined && !isLost) return;
  const now = new Date().toISOString();
  const ends = spec.restartPolicy === 'Never';
  const state = ends
    ? { terminated: { exitCode: 0, reason: 'Completed', startedAt: now, finishedAt: now } }
    : { running: { startedAt: now } };
  const containerStatuses = spec.containers.map(({ name, image }) => ({
    ...{ name, image, imageID: 'pictured', ready: !ends, started: !ends, restartCount: 0, state },
  }));
  const conditions = ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => condition(type));
  const body = { status: { phase: ends ? 'Succeeded' : 'Running', startTime: now, conditions, containerStatuses } };
  await client.patch(POD, at, { type: 'merge', body }, { subresource: 'status' });
}

function isReady({ conditions }: NonNullable<Pod['status']>): boolean {
  return conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
}

function condition(type: string, reason = 'Pictured') {
  const now = new Date().toISOString();
  return { type, status: 'True', reason, lastTransitionTime: now, lastHeartbeatTime: now };
}

/** While the apiserver is away a picture has nothing to say; the next list finds what it missed. */
function ignoreAbsence(error: unknown): void {
  if (error instanceof KubeError) return;
  throw error;
}
