import type { ContainerState, ContainerStatus, Pod, WarningEvent } from '../kinds.ts';
import { imageWords, startWords } from './words/container.ts';
import { schedulingWords } from './words/scheduling.ts';
import { because, sentence } from './words/words.ts';

/** What is wrong with a pod, in words that say what to do. */
export interface Problem {
  reason: string;
  message: string;
  /** False while it may well be the ordinary way to start. */
  serious: boolean;
}

/** A program that answers its probe later than this is failing, not starting. */
const START_PATIENCE_MS = 60_000;
/** The event and the condition of a lost node are written one after the other. */
const SAME_MOMENT_MS = 5_000;

const IMAGE_REASONS = new Set([
  'ImagePullBackOff',
  'ErrImagePull',
  'ErrImageNeverPull',
  'InvalidImageName',
  'ImageInspectError',
  'RegistryUnavailable',
]);
export const CONFIGURATION_REASONS = new Set([
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
  'StartError',
  'PreStartHookError',
  'PostStartHookError',
]);
const VOLUME_EVENTS = new Set(['FailedMount', 'FailedAttachVolume', 'FailedMapVolume']);

/** The first that is found, from what keeps a pod from a node to what its program does. */
export function podProblem(pod: Pod, warnings: readonly WarningEvent[], now: number): Problem | undefined {
  const { status } = pod;
  if (status?.phase === 'Failed') {
    const message = sentence(`The pod was ended: ${status.message ?? status.reason ?? 'no reason given'}`);
    return { reason: status.reason ?? 'PodFailed', message, serious: true };
  }
  const scheduled = status?.conditions?.find((condition) => condition.type === 'PodScheduled');
  if (scheduled?.status === 'False') {
    const text = scheduled.message ?? scheduled.reason ?? 'no reason given';
    return { ...schedulingWords(text), serious: true };
  }
  const lost = lostNode(pod, warnings);
  if (lost) return lost;
  for (const container of [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]) {
    const problem = containerProblem(container);
    if (problem) return problem;
  }
  const mount = warnings.find((event) => VOLUME_EVENTS.has(event.reason ?? ''));
  if (mount && !status?.containerStatuses?.some((container) => container.state?.running)) {
    const said = mount.message ?? mount.reason ?? '';
    const message = because('A volume cannot be mounted', { words: startWords(said), said });
    return { reason: 'VolumeNotMounted', message, serious: true };
  }
  return probeProblem(status?.containerStatuses ?? [], warnings, now);
}

/** The containers' last word is old then: nobody has looked at them since. */
function lostNode({ status }: Pod, warnings: readonly WarningEvent[]): Problem | undefined {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const lost = warnings.find(({ reason }) => reason === 'NodeNotReady');
  if (!lost || ready?.status === 'True') return undefined;
  // It has come back since, and the pod is unready for a reason of its own.
  if (Date.parse(lost.lastTimestamp ?? '') + SAME_MOMENT_MS < Date.parse(ready?.lastTransitionTime ?? ''))
    return undefined;
  const message =
    'The node of the pod does not answer. If it stays so, Kubernetes starts the pod on another node after five minutes.';
  return { reason: 'NodeLost', message, serious: true };
}

function containerProblem(container: ContainerStatus): Problem | undefined {
  const { waiting, terminated } = container.state ?? {};
  const reason = waiting?.reason ?? '';
  if (IMAGE_REASONS.has(reason)) {
    const why = waiting?.message ?? reason;
    return {
      reason: 'ImageMissing',
      message: sentence(`The image ${container.image ?? ''} cannot be had: ${imageWords(why) ?? why}`),
      serious: true,
    };
  }
  if (CONFIGURATION_REASONS.has(reason)) {
    const why = waiting?.message ?? reason;
    const message = because('The container cannot be started', { words: startWords(why), said: why });
    return { reason, message, serious: true };
  }
  if (reason === 'CrashLoopBackOff') return crash(container.lastState?.terminated);
  // It came to an end and will be started again; once is how many programs wait for another, twice is a loop.
  if (terminated && (container.restartCount ?? 0) > 0) return crash(terminated);
  return undefined;
}

/** With containerd a program that is not there is one that ends at once. */
export function neverBegan(ended: ContainerState['terminated']): boolean {
  return ended?.reason === 'StartError' || ended?.reason === 'ContainerCannotRun';
}

function crash(ended: ContainerState['terminated']): Problem {
  if (neverBegan(ended)) {
    const said = ended?.message ?? 'no reason given';
    const message = because('The container cannot be started', { words: startWords(said), said });
    return { reason: 'StartError', message, serious: true };
  }
  const code = ended?.exitCode ?? 'unknown';
  const cause = ended?.reason && !['Error', 'Completed'].includes(ended.reason) ? ` (${ended.reason})` : '';
  const last = ended?.message ? `: ${ended.message.trim()}` : '';
  const hint = ended?.reason === 'OOMKilled' ? 'It needs more memory than its limit' : 'Its log says why';
  const message = `The program keeps ending with exit code ${code}${cause}${last}. ${hint}.`;
  return { reason: ended?.reason === 'OOMKilled' ? 'OutOfMemory' : 'CrashLoop', message, serious: true };
}

function probeProblem(
  containers: readonly ContainerStatus[],
  warnings: readonly WarningEvent[],
  now: number,
): Problem | undefined {
  const unready = containers.find((container) => container.state?.running && container.ready === false);
  if (!unready) return undefined;
  const startedAt = Date.parse(unready.state?.running?.startedAt ?? '');
  const probe = warnings.find(
    (event) => event.reason === 'Unhealthy' && !(Date.parse(event.lastTimestamp ?? '') < startedAt),
  );
  if (!probe) return undefined;
  const serious = failedBefore(unready) || now - startedAt > START_PATIENCE_MS;
  return { reason: 'ProbeFailing', message: sentence(probe.message ?? 'Its probe fails'), serious };
}

/** Whether the life before this one ended in failure. A stop of the node, seen or not, is none: it starts like any other. */
function failedBefore({ lastState }: ContainerStatus): boolean {
  const ended = lastState?.terminated;
  return ended !== undefined && ended.exitCode !== 0 && ended.reason !== 'ContainerStatusUnknown';
}
