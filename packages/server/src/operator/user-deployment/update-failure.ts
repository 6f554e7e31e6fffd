import { isScheduled, JOB_TIMEOUT_SECONDS, type Job } from '@berth/core/job';
import { READY_WITHIN_SECONDS, type Service } from '@berth/core/service';
import { controllerOf } from '@berth/kube/client/owner';
import type { Deployment, Pod, StatusCondition } from '../kinds.ts';
import { deploymentFor } from './checks.ts';
import { TEMPLATE_HASH_ANNOTATION } from './desired/pod-template.ts';
import { howItEnded } from './failure-sentence.ts';
import { mayRun, runFor, runState } from './job-run.ts';
import { type PodFacts, type PodVerdict, podVerdict } from './pod-failure.ts';
import type { Situation } from './situation.ts';
import { isTouched, templateHashOf } from './versions.ts';
import { refusalWords } from './words/refusal.ts';
import { because, sentence } from './words/words.ts';

/** Why an update is stopped. */
export interface UpdateFailure {
  /** The service or job. */
  service: string;
  reason: string;
  message: string;
  /** Whose log says more. */
  pod?: { name: string; container: string; previous: boolean };
}

export interface UpdateVerdict {
  failure: UpdateFailure | undefined;
  /** Time alone may make it fail: look again then. */
  againInMs: number | undefined;
}

/** Old pods that are going still count for the quota: what they leave may be enough. */
const REFUSED_PATIENCE_MS = 30_000;

/**
 * Looks for the first pod of the new version that failed. Only services that the update touches count, and of those only the
 * pods it made: what was there before may be ill for its own reasons, and the version before would be no better.
 */
export function updateVerdict(situation: Situation): UpdateVerdict {
  const { course, spec } = situation;
  if (course.state !== 'progressing' || !spec || spec.desired === 'stopped') return NOTHING;
  const verdicts = [
    ...(spec.jobs ?? []).filter((job) => !isScheduled(job)).map((job) => jobVerdict(situation, job)),
    ...spec.services.map((service) => serviceVerdict(situation, service)),
  ];
  const waits = verdicts.flatMap(({ againInMs }) => (againInMs === undefined ? [] : [againInMs]));
  return {
    failure: verdicts.find(({ failure }) => failure !== undefined)?.failure,
    againInMs: waits.length > 0 ? Math.min(...waits) : undefined,
  };
}

const NOTHING: UpdateVerdict = { failure: undefined, againInMs: undefined };

/** The newest pod of a job's run. */
export function podOfRun(situation: Situation, job: Job): Pod | undefined {
  const run = runFor(situation, job);
  if (!run) return undefined;
  return [...(situation.pods.get(job.name) ?? [])]
    .filter((pod) => controllerOf(pod)?.uid === run.metadata.uid)
    .sort((a, b) => (b.metadata.creationTimestamp ?? '').localeCompare(a.metadata.creationTimestamp ?? ''))[0];
}

export function jobFailure(situation: Situation, job: Job): UpdateFailure {
  const pod = podOfRun(situation, job);
  const condition = runFor(situation, job)?.status?.conditions?.find(({ type }) => type === 'Failed');
  const ended = pod?.status?.containerStatuses
    ?.map(({ state }) => state?.terminated)
    .find((each) => each !== undefined);
  const late = condition?.reason === 'DeadlineExceeded';
  const how = late
    ? `did not end within ${job.timeoutSeconds ?? JOB_TIMEOUT_SECONDS} s`
    : ended
      ? `ended ${howItEnded(ended)}`
      : 'failed';
  const detail = !late && !ended && condition?.message ? `: ${condition.message}` : '';
  const message = sentence(`The job ${job.name} ${how}${detail}`);
  const log = pod && { name: pod.metadata.name, container: job.name, previous: false };
  return { service: job.name, reason: late ? 'JobTimedOut' : 'JobFailed', message, ...(log && { pod: log }) };
}

function jobVerdict(situation: Situation, job: Job): UpdateVerdict {
  const state = runState(situation, job);
  if (state === 'Failed') return { failure: jobFailure(situation, job), againInMs: undefined };
  const pod = state === 'Running' && !mayRun(situation, job) ? podOfRun(situation, job) : undefined;
  return pod ? verdictOfPods(situation, [pod], { workload: job, readyWithinSeconds: undefined }) : NOTHING;
}

function serviceVerdict(situation: Situation, service: Service): UpdateVerdict {
  const touched = isTouched(situation, service.name);
  const deployment = deploymentFor(situation, service.name);
  const hash = templateHashOf(situation.children.find(isDeploymentOf(service.name))?.object);
  if (!touched || !deployment || templateHashOf(deployment) !== hash) return NOTHING;
  const since = touched === 'count' ? updateSince(situation) : 0;
  const pods = (situation.pods.get(service.name) ?? []).filter(
    ({ metadata }) =>
      metadata.deletionTimestamp === undefined &&
      metadata.annotations?.[TEMPLATE_HASH_ANNOTATION] === hash &&
      Date.parse(metadata.creationTimestamp ?? '') >= since,
  );
  const readyWithinSeconds = service.readyWithinSeconds ?? READY_WITHIN_SECONDS;
  const ofPods = verdictOfPods(situation, pods, { workload: service, readyWithinSeconds });
  const ofDeployment = deploymentVerdict(deployment, service, situation.now);
  const waits = [ofPods.againInMs, ofDeployment.againInMs].filter((each) => each !== undefined);
  return {
    failure: ofPods.failure ?? ofDeployment.failure,
    againInMs: waits.length > 0 ? Math.min(...waits) : undefined,
  };
}

function isDeploymentOf(service: string) {
  return ({ type, service: of }: Situation['children'][number]) => type.kind === 'Deployment' && of === service;
}

function verdictOfPods(
  { warnings, now }: Situation,
  pods: readonly Pod[],
  of: Pick<PodFacts, 'workload' | 'readyWithinSeconds'>,
): UpdateVerdict {
  let againInMs: number | undefined;
  for (const pod of pods) {
    const verdict: PodVerdict = podVerdict(pod, { ...of, warnings: warnings.get(pod.metadata.name) ?? [], now });
    if (verdict && 'failure' in verdict) {
      const { previous, ...failure } = verdict.failure;
      const { name } = of.workload;
      return {
        failure: { service: name, ...failure, pod: { name: pod.metadata.name, container: name, previous } },
        againInMs: undefined,
      };
    }
    if (verdict) againInMs = Math.min(againInMs ?? verdict.againInMs, verdict.againInMs);
  }
  return { failure: undefined, againInMs };
}

function deploymentVerdict({ metadata, status }: Deployment, { name }: Service, now: number): UpdateVerdict {
  if ((status?.observedGeneration ?? 0) < (metadata.generation ?? 0)) return NOTHING;
  const refused = conditionOf(status?.conditions, 'ReplicaFailure');
  if (refused?.status === 'True') {
    const left = (Date.parse(refused.lastTransitionTime ?? '') || 0) + REFUSED_PATIENCE_MS - now;
    if (left > 0) return { failure: undefined, againInMs: left };
    const said = refused.message ?? refused.reason ?? '';
    const message = because(`Kubernetes refuses a pod of ${name}`, { words: refusalWords(said)?.message, said });
    return { failure: { service: name, reason: 'PodsRefused', message }, againInMs: undefined };
  }
  const progressing = conditionOf(status?.conditions, 'Progressing');
  if (progressing?.status !== 'False' || progressing.reason !== 'ProgressDeadlineExceeded') return NOTHING;
  const message = `The pods of ${name} became ready too slowly, or did not stay so.`;
  return { failure: { service: name, reason: 'NoProgress', message }, againInMs: undefined };
}

function conditionOf(conditions: StatusCondition[] | undefined, type: string): StatusCondition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Whole seconds, as the times of objects are. */
function updateSince({ userDeployment, specHash, now }: Situation): number {
  const { update } = userDeployment.status ?? {};
  const since = update?.state === 'progressing' && update.specHash === specHash ? Date.parse(update.since) : now;
  return Math.floor(since / 1000) * 1000;
}
