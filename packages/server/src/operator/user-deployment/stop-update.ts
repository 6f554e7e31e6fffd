import { isScheduled } from '@berth/core/job';
import { serviceObjectName } from '@berth/core/names';
import type { KubeClient } from '@berth/kube/client/client';
import { runState } from './job-run.ts';
import { lastLines } from './last-lines.ts';
import { type Refusal, refusalText } from './service-state.ts';
import type { Situation } from './situation.ts';
import { stoppedStatus } from './status.ts';
import type { StillThere } from './still-there.ts';
import { jobFailure, type UpdateFailure } from './update-failure.ts';
import { stoppedUpdate } from './update-status.ts';
import { type StatusDependencies, writeStatus } from './write-status.ts';

interface StopDependencies extends StatusDependencies {
  client: Pick<KubeClient, 'apply' | 'get' | 'raw'>;
  stillThere: StillThere;
  now: () => number;
}

/** Once written it holds: whoever looks next, this operator or another, builds the last good version. */
export async function stopUpdate(
  situation: Situation,
  failure: UpdateFailure,
  within: StopDependencies,
): Promise<undefined> {
  const { userDeployment, specHash, owner } = situation;
  const { client, stillThere, signal, now } = within;
  const current = await stillThere();
  // The copy is behind: another version is wanted by now, or this one is stopped already.
  if (current.metadata.generation !== userDeployment.metadata.generation) return undefined;
  const { update } = current.status ?? {};
  if (update?.state === 'stopped' && update.specHash === specHash) return undefined;
  const { pod, service } = failure;
  const secret = serviceObjectName(owner.name, service);
  const source = pod && { ...pod, pod: pod.name, namespace: owner.namespace, secret };
  const lines = source ? await lastLines(client, source, signal) : [];
  const stopped = stoppedUpdate(situation, failure, lines);
  await writeStatus(userDeployment, stoppedStatus(userDeployment, stopped, now()), within);
  return undefined;
}

/** Kubernetes does not take what the new version needs: it never will be ready. */
export function refusalFailure({ course }: Situation, refusals: readonly Refusal[]): UpdateFailure | undefined {
  const [first] = refusals;
  if (!first || course.state !== 'progressing') return undefined;
  return { service: first.service ?? first.name, reason: 'Refused', message: refusalText(first) };
}

/** Of jobs that fail in the first start, where there is no update to say it. */
export async function linesOfFailedJobs(
  situation: Situation,
  within: Pick<StopDependencies, 'client' | 'signal'>,
): Promise<Map<string, string[]>> {
  const { spec, userDeployment, owner, course } = situation;
  const found = new Map<string, string[]>();
  if (course.state !== 'first') return found;
  for (const job of spec?.jobs ?? []) {
    const before = userDeployment.status?.jobs?.find(({ name }) => name === job.name);
    if (isScheduled(job) || before?.state === 'Failed' || runState(situation, job) !== 'Failed') continue;
    const { pod } = jobFailure(situation, job);
    const secret = serviceObjectName(owner.name, job.name);
    const source = pod && { ...pod, pod: pod.name, namespace: owner.namespace, secret };
    if (source) found.set(job.name, await lastLines(within.client, source, within.signal));
  }
  return found;
}
