import { controllerReference } from '../../../client/owner.ts';
import type { Job } from '../../../schema/kinds/batch.ts';
import type { Pod } from '../../../schema/kinds/pod.ts';
import { POD } from '../../../schema/resources.ts';
import { isKubeError } from '../../../schema/status.ts';
import { addressOf, type ControllerContext } from '../controller-context.ts';
import { randomSuffix } from '../stable-hash.ts';
import { isTracked, TRACKING } from './job-state.ts';

/** Every pod of a Job has this label from the API server. */
export const JOB_NAME_LABEL = 'batch.kubernetes.io/job-name';
/** Pods made in one reconcile: a failing quota costs this many refusals, not one a pod. */
const BURST = 50;

type PodContext = Pick<ControllerContext, 'client' | 'events' | 'newId'>;

/**
 * From the server rather than from a cache: what is decided on an old list makes a pod twice or counts one twice. There is one
 * server in this process, and Jobs change seldom.
 */
export async function podsOf({ client }: PodContext, namespace: string, job: string): Promise<Pod[]> {
  return (await client.list<Pod>(POD, { namespace, labelSelector: `${JOB_NAME_LABEL}=${job}` })).items;
}

export async function createPods(context: PodContext, job: Job, count: number): Promise<number> {
  for (let made = 0; made < Math.min(count, BURST); made++) await createPod(context, job);
  return Math.min(count, BURST);
}

async function createPod(context: PodContext, job: Job): Promise<void> {
  const { metadata, spec } = job.spec.template;
  const { name, namespace } = job.metadata;
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${name.slice(0, 57)}-${randomSuffix(context.newId)}`,
      generateName: `${name}-`,
      ...(namespace ? { namespace } : {}),
      ...(metadata?.labels ? { labels: metadata.labels } : {}),
      ...(metadata?.annotations ? { annotations: metadata.annotations } : {}),
      finalizers: [TRACKING],
      ownerReferences: [controllerReference(job)],
    },
    spec,
  };
  try {
    const created = await context.client.create<Pod>(POD, pod);
    const message = `Created pod: ${created.metadata.name}`;
    context.events.record(job, { type: 'Normal', reason: 'SuccessfulCreate', message });
  } catch (error) {
    const message = `Error creating: ${error instanceof Error ? error.message : String(error)}`;
    context.events.record(job, { type: 'Warning', reason: 'FailedCreate', message });
    throw error;
  }
}

export async function deletePods(context: PodContext, job: Job, pods: Pod[]): Promise<void> {
  for (const pod of pods) {
    const { uid } = pod.metadata;
    await tolerateGone(() => context.client.delete(POD, addressOf(pod), uid ? { preconditions: { uid } } : {}));
    const message = `Deleted pod: ${pod.metadata.name}`;
    context.events.record(job, { type: 'Normal', reason: 'SuccessfulDelete', message });
  }
}

/** Lets a pod go whose end is counted, or whose Job will count nothing any more. */
export async function release(context: PodContext, pod: Pod): Promise<void> {
  if (!isTracked(pod)) return;
  const { uid, resourceVersion, finalizers = [] } = pod.metadata;
  const left = finalizers.filter((finalizer) => finalizer !== TRACKING);
  const body = { metadata: { uid, resourceVersion, finalizers: left } };
  await tolerateGone(() => context.client.patch(POD, addressOf(pod), { type: 'merge', body }));
}

async function tolerateGone(action: () => Promise<unknown>): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (!isKubeError(error, 'NotFound')) throw error;
  }
}
