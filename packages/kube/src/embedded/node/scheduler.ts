import { type Controller, createController } from '../../client/controller.ts';
import { isPodFinished, type Pod, podCondition } from '../../schema/kinds/pod.ts';
import { type KubeObject, objectKey } from '../../schema/object.ts';
import { quantityNumber } from '../../schema/quantity.ts';
import { NODE, POD } from '../../schema/resources.ts';
import { addressOf, type ControllerContext, timestamp } from '../controllers/controller-context.ts';

/** Gives every pod the one node there is, if the node can ever hold it. */
export function createScheduler(context: ControllerContext, nodeName: string): Controller {
  const pods = context.caches.of<Pod>(POD);
  const nodes = context.caches.of(NODE);

  async function reconcile(key: string): Promise<void> {
    const pod = pods.get(key);
    const node = nodes.get(nodeName);
    if (!pod || !node || pod.spec.nodeName || pod.metadata.deletionTimestamp || isPodFinished(pod)) return;
    const problem = placementProblem(pod, node);
    if (problem) return refuse(context, pod, problem);
    await bind(context, pod, nodeName);
    const message = `Successfully assigned ${key} to ${nodeName}`;
    context.events.record(pod, { type: 'Normal', reason: 'Scheduled', message });
  }

  return createController({ ...context, name: 'scheduler', reconcile, concurrency: 4 })
    .watches(pods, (pod) => (pod.spec.nodeName ? [] : [objectKey(pod)]))
    .watches(
      nodes,
      () =>
        pods
          .list()
          .filter((pod) => !pod.spec.nodeName)
          .map(objectKey),
      (change) => change.type === 'added',
    );
}

/**
 * A pod is refused when it could not even have the machine to itself. Sums are not counted: on a laptop requests are guesses, and a
 * pod that stays pending because of another's guess helps nobody.
 */
export function placementProblem(pod: Pod, node: KubeObject): string | undefined {
  const labels = node.metadata.labels ?? {};
  const mismatch = Object.entries(pod.spec.nodeSelector ?? {}).some(([key, value]) => labels[key] !== value);
  if (mismatch) return "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.";
  const allocatable = (node.status as { allocatable?: Record<string, string> } | undefined)?.allocatable ?? {};
  for (const resource of ['cpu', 'memory']) {
    const wanted = pod.spec.containers.reduce(
      (total, { resources }) => total + quantityNumber(resources?.requests?.[resource] ?? '0'),
      0,
    );
    const has = allocatable[resource];
    if (has !== undefined && wanted > quantityNumber(has))
      return `0/1 nodes are available: 1 Insufficient ${resource}.`;
  }
  return undefined;
}

async function bind({ client }: ControllerContext, pod: Pod, nodeName: string): Promise<void> {
  const { name, namespace = '', uid } = pod.metadata;
  const binding = {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name, namespace, uid },
    target: { apiVersion: 'v1', kind: 'Node', name: nodeName },
  };
  const path = `/api/v1/namespaces/${namespace}/pods/${name}/binding`;
  const headers = { 'content-type': 'application/json' };
  const response = await client.raw('POST', path, { body: JSON.stringify(binding), headers });
  const text = await response.text();
  // Gone, or bound by somebody else: both are seen by the cache.
  if (response.status >= 300 && response.status !== 404 && response.status !== 409) {
    throw new Error(`pod ${namespace}/${name} could not be bound: ${response.status} ${text.slice(0, 300)}`);
  }
}

async function refuse(context: ControllerContext, pod: Pod, message: string): Promise<void> {
  if (podCondition(pod, 'PodScheduled')?.message === message) return;
  context.events.record(pod, { type: 'Warning', reason: 'FailedScheduling', message });
  const condition = {
    type: 'PodScheduled',
    status: 'False',
    reason: 'Unschedulable',
    message,
    lastTransitionTime: timestamp(context.clock.now()),
  };
  const body = { metadata: { uid: pod.metadata.uid }, status: { phase: 'Pending', conditions: [condition] } };
  await context.client.patch(POD, addressOf(pod), { type: 'merge', body }, { subresource: 'status' });
}
