import type { Pod, WarningEvent } from '../kinds.ts';
import type { Workload } from './desired/workload.ts';
import { containersOf, crashesOf, crashSentence, notReadySentence } from './failure-sentence.ts';
import { CONFIGURATION_REASONS, neverBegan, podProblem } from './pod-problem.ts';
import { imageWords, startWords } from './words/container.ts';
import { because, sentence } from './words/words.ts';

/** Why a pod of a new version will not become what it should. */
export interface PodFailure {
  reason: string;
  message: string;
  /** The log that tells more is that of the container's life before. */
  previous: boolean;
}

/** Either it has failed, or time alone may make it fail: look again then. */
export type PodVerdict = { failure: PodFailure } | { againInMs: number } | undefined;

export interface PodFacts {
  workload: Workload;
  warnings: readonly WarningEvent[];
  /** Undefined for a job's pod, which is not to become ready but to end. */
  readyWithinSeconds: number | undefined;
  now: number;
}

const CRASHES = 3;
/** A kubelet may not have seen a ConfigMap yet that has just been made; it tries again. */
const CONFIGURATION_PATIENCE_MS = 10_000;
/** The kubelet has tried again, or would in vain. `ErrImagePull` alone is the first try. */
const NO_IMAGE_REASONS = ['ImagePullBackOff', 'InvalidImageName', 'ErrImageNeverPull'];

export function podVerdict(pod: Pod, facts: PodFacts): PodVerdict {
  // One that was evicted is replaced; it says nothing about the version.
  if (pod.status?.phase === 'Failed' || isReady(pod)) return undefined;
  return containerVerdict(pod, facts) ?? readyVerdict(pod, facts);
}

function containerVerdict(pod: Pod, { workload, warnings, now }: PodFacts): PodVerdict {
  const { name } = workload;
  for (const container of containersOf(pod)) {
    const { waiting, terminated } = container.state ?? {};
    const ended = terminated ?? container.lastState?.terminated;
    // Between two tries the waiting has another reason, and why it cannot be started is what the last try says.
    const { reason = '', message = reason } = (neverBegan(ended) ? ended : waiting) ?? {};
    if (NO_IMAGE_REASONS.includes(reason)) {
      const why = imageWords(message) ?? message;
      const text = sentence(`The image ${container.image ?? workload.image} of ${name} cannot be pulled: ${why}`);
      return { failure: { reason: 'ImageMissing', message: text, previous: false } };
    }
    if (CONFIGURATION_REASONS.has(reason)) {
      const left = startOf(pod) + CONFIGURATION_PATIENCE_MS - now;
      if (left > 0) return { againInMs: left };
      const words = startWords(message);
      const text = because(`A pod of ${name} cannot be started`, { words, said: message });
      return { failure: { reason, message: text, previous: false } };
    }
    if (crashesOf(container) >= CRASHES) {
      const outOfMemory = ended?.reason === 'OOMKilled';
      const text = crashSentence(workload, container, warnings);
      const previous = terminated === undefined;
      return { failure: { reason: outOfMemory ? 'OutOfMemory' : 'CrashLoop', message: text, previous } };
    }
  }
  return undefined;
}

function readyVerdict(pod: Pod, { workload, warnings, readyWithinSeconds, now }: PodFacts): PodVerdict {
  if (readyWithinSeconds === undefined) return undefined;
  const left = unreadySince(pod) + readyWithinSeconds * 1000 - now;
  if (left > 0) return { againInMs: left };
  const runs = pod.status?.containerStatuses?.some(({ state }) => state?.running !== undefined);
  const problem = runs ? undefined : podProblem(pod, warnings, now);
  if (problem) {
    const message = `A pod of ${workload.name} was not ready within ${readyWithinSeconds} s. ${problem.message}`;
    return { failure: { reason: problem.reason, message, previous: false } };
  }
  const seconds = Math.max(readyWithinSeconds, Math.round((now - unreadySince(pod)) / 1000));
  const message = notReadySentence(workload, warnings, seconds);
  return { failure: { reason: 'NotReady', message, previous: false } };
}

export function isReady(pod: Pod): boolean {
  return pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
}

/** A pod that was ready and is not for a moment has all of its time again. */
function unreadySince(pod: Pod): number {
  const ready = pod.status?.conditions?.find(({ type }) => type === 'Ready');
  return Math.max(startOf(pod), Date.parse(ready?.lastTransitionTime ?? '') || 0);
}

function startOf({ status, metadata }: Pod): number {
  return Date.parse(status?.startTime ?? metadata.creationTimestamp ?? '') || 0;
}
