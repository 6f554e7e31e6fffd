import type { Service } from '@berth/core/service';
import { type ServiceStatus, STOPPING } from '@berth/core/user-deployment';
import type { Deployment, Pod } from '../kinds.ts';
import { deploymentFor } from './checks.ts';
import type { Decision } from './decide.ts';
import { replicasOf } from './desired/deployment.ts';
import type { Objection } from './objection.ts';
import { type Problem, podProblem } from './pod-problem.ts';
import { isSettled } from './readiness.ts';
import type { Situation } from './situation.ts';
import { refusalWords } from './words/refusal.ts';
import { because } from './words/words.ts';

/** What the API server refused to take, in its own words. */
export interface Refusal {
  /** Undefined for what the whole deployment has once. */
  service: string | undefined;
  kind: string;
  name: string;
  message: string;
}

export interface Outcome {
  situation: Situation;
  decision: Decision;
  refusals: readonly Refusal[];
  /** The last lines of jobs that have just failed, by name. */
  jobLines?: ReadonlyMap<string, readonly string[]>;
}

/** One service in plain words: what it does, and if it does not run, why. */
export function serviceStatus(outcome: Outcome, service: Service): ServiceStatus {
  const { situation } = outcome;
  const pods = situation.pods.get(service.name) ?? [];
  const deployment = deploymentFor(situation, service.name);
  const status = {
    name: service.name,
    desired: replicasOf(situation.spec ?? {}, service),
    ready: deployment?.status?.readyReplicas ?? 0,
    ...servedImage(situation, service),
    ...updatedPods(deployment),
    restarts: pods.flatMap((pod) => pod.status?.containerStatuses ?? []).reduce(addRestarts, 0),
  };
  const finding = find(outcome, { service, deployment, pods, desired: status.desired });
  const { state, reason, message } = finding;
  return {
    ...status,
    state,
    ...(reason !== undefined && { reason: reason.slice(0, 256) }),
    ...(message !== undefined && { message: message.slice(0, 4096) }),
  };
}

/** Told where another version than the wanted one serves. */
function servedImage({ userDeployment }: Situation, { name, image }: Service): Pick<ServiceStatus, 'image'> {
  const wanted = userDeployment.spec.services?.find((each) => each.name === name);
  return wanted === undefined || wanted.image === image ? {} : { image };
}

/** Of the pods that are ready, those of the wanted version: old ones are all ready, or they would not be kept. */
function updatedPods(deployment: Deployment | undefined): Pick<ServiceStatus, 'updated'> {
  const { replicas = 0, readyReplicas = 0, updatedReplicas = 0 } = deployment?.status ?? {};
  const old = replicas - updatedReplicas;
  return old > 0 ? { updated: Math.max(0, readyReplicas - old) } : {};
}

type Finding = Pick<ServiceStatus, 'state' | 'reason' | 'message'>;

interface Facts {
  service: Service;
  deployment: Deployment | undefined;
  pods: readonly Pod[];
  desired: number;
}

function find(outcome: Outcome, facts: Facts): Finding {
  const { service, deployment, pods, desired } = facts;
  const refusal = outcome.refusals.find((each) => each.service === service.name || each.service === undefined);
  if (refusal) return failing({ reason: 'Refused', message: refusalText(refusal) });
  const objection = objectionFor(outcome.decision, service.name);
  if (objection) {
    const { reason, message } = objection;
    return reason === 'NameTaken' ? failing({ reason, message }) : { state: 'Waiting', reason, message };
  }
  if (desired === 0) return stopped(pods);
  if (!deployment) return { state: 'Starting', reason: 'Created', message: 'Is being made.' };
  return running(outcome, facts, deployment);
}

function running({ situation, decision }: Outcome, { service, pods, desired }: Facts, deployment: Deployment): Finding {
  const outdated = decision.apply.some(({ type, service: of }) => type.kind === 'Deployment' && of === service.name);
  if (!outdated && isSettled(deployment)) return { state: 'Running' };
  const problem = worstProblem(situation, { service, deployment, pods });
  const ready = deployment.status?.readyReplicas ?? 0;
  if (problem?.serious) {
    const serving = ready > 0 ? ' The pods that are ready keep serving.' : '';
    return failing({ reason: problem.reason, message: problem.message + serving });
  }
  const progress = `${Math.min(ready, desired)} of ${desired} ${desired === 1 ? 'pod is' : 'pods are'} ready.`;
  const message = problem ? `${progress} ${problem.message}` : progress;
  return { state: 'Starting', reason: problem?.reason ?? 'PodsStarting', message };
}

function worstProblem(
  situation: Situation,
  { service, deployment, pods }: Pick<Facts, 'service' | 'pods'> & { deployment: Deployment },
): Problem | undefined {
  const failure = deployment.status?.conditions?.find(
    ({ type, status }) => type === 'ReplicaFailure' && status === 'True',
  );
  if (failure) {
    const said = failure.message ?? '';
    const message = because('Kubernetes refuses the pods', { words: refusalWords(said)?.message, said });
    return { reason: 'PodsRefused', message, serious: true };
  }
  const problems = pods
    .filter((pod) => pod.metadata.deletionTimestamp === undefined)
    .map((pod) => podProblem(pod, situation.warnings.get(pod.metadata.name) ?? [], situation.now))
    .filter((problem) => problem !== undefined);
  const worst = problems.find((problem) => problem.serious) ?? problems[0];
  if (worst) return withVolume(worst, situation.volumeProblems.get(service.name));
  const progressing = deployment.status?.conditions?.find(({ type }) => type === 'Progressing');
  if (progressing?.status !== 'False') return undefined;
  return {
    reason: 'NoProgress',
    message: `Nothing moves: ${progressing.message ?? progressing.reason ?? ''}`,
    serious: true,
  };
}

/** The scheduler only says that the volume is missing; its claim knows why. */
function withVolume(problem: Problem, why: string | undefined): Problem {
  if (problem.reason !== 'VolumeNotBound' || why === undefined) return problem;
  return { ...problem, message: `${problem.message} ${why}` };
}

function stopped(pods: readonly Pod[]): Finding {
  if (pods.length === 0) return { state: 'Stopped' };
  const what = pods.length === 1 ? 'One pod is' : `${pods.length} pods are`;
  return { state: 'Waiting', reason: STOPPING, message: `${what} still ending.` };
}

/** The first that holds this service; what is only said of another part is none. */
export function objectionFor(decision: Decision, service: string): Objection | undefined {
  return [...decision.objections.values()]
    .flat()
    .find(
      ({ holds }) =>
        holds.what === 'everything' ||
        (holds.what !== 'route' && holds.what !== 'nothing' && holds.service === service),
    );
}

function failing(finding: { reason: string; message: string }): Finding {
  return { state: 'Failing', ...finding };
}

export function refusalText({ kind, name, message }: Refusal): string {
  return because(`Kubernetes refuses ${kind} ${name}`, { words: refusalWords(message)?.message, said: message });
}

function addRestarts(total: number, container: { restartCount?: number }): number {
  return total + (container.restartCount ?? 0);
}
