import type {
  Container,
  ContainerState,
  ContainerStatus,
  Pod,
  PodCondition,
  PodPhase,
  PodStatus,
} from '../../../schema/kinds/pod.ts';
import { timestamp } from '../../controllers/controller-context.ts';
import { containerId } from '../process/container-process.ts';
import type { ContainerRecord } from '../process/container-record.ts';

/** What the node knows of one container now. */
export interface ContainerView {
  container: Container;
  mark: string;
  record: ContainerRecord | undefined;
  /** Why it does not run, when it should. */
  waiting: { reason: string; message?: string } | undefined;
  started: boolean;
  ready: boolean;
}

export interface StatusInput {
  pod: Pod;
  init: ContainerView[];
  main: ContainerView[];
  hostIP: string;
  podIP: string | undefined;
  startedAt: number;
  now: number;
  /** The pod's end is sealed: nothing restarts. */
  stopping: boolean;
}

/** The status a kubelet would report. */
export function podStatus(input: StatusInput): PodStatus {
  const { pod, init, main } = input;
  const phase = podPhase(input);
  const gone = phase === 'Succeeded' || phase === 'Failed';
  return {
    phase,
    conditions: [...conditions(input, phase), ...foreign(pod)],
    hostIP: input.hostIP,
    hostIPs: [{ ip: input.hostIP }],
    ...(input.podIP ? { podIP: input.podIP, podIPs: [{ ip: input.podIP }] } : {}),
    startTime: timestamp(input.startedAt),
    ...(init.length > 0
      ? { initContainerStatuses: init.map((view) => containerStatus(view, { init: true, gone })) }
      : {}),
    containerStatuses: main.map((view) => containerStatus(view, { init: false, gone })),
    qosClass: qosClass(pod),
  };
}

export function containerStatus(view: ContainerView, as: { init: boolean; gone: boolean }): ContainerStatus {
  const { record, container } = view;
  const state = containerState(view);
  const ended = record?.phase === 'exited' && state.waiting ? record.termination : record?.previous;
  const completed = as.init && state.terminated?.exitCode === 0;
  const id = record && record.phase !== 'starting' ? { containerID: containerId(view.mark, record.attempt) } : {};
  return {
    name: container.name,
    state,
    lastState: ended ? { terminated: ended } : {},
    ready: completed || (state.running !== undefined && view.ready && !as.gone),
    started: state.running !== undefined && view.started,
    restartCount: record?.attempt ?? 0,
    image: container.image,
    imageID: record ? record.image : '',
    ...id,
  };
}

function containerState({ record, waiting }: ContainerView): ContainerState {
  if (record?.phase === 'running') return { running: { startedAt: timestamp(record.startedAt ?? 0) } };
  if (waiting) return { waiting };
  if (record?.phase === 'exited' && record.termination) return { terminated: record.termination };
  return { waiting: { reason: 'ContainerCreating' } };
}

function podPhase({ pod, init, main, stopping }: StatusInput): PodPhase {
  const policy = pod.spec.restartPolicy ?? 'Always';
  const before = pod.status?.phase;
  if (before === 'Succeeded' || before === 'Failed') return before;
  const failedInit = init.some(({ record, waiting }) => exitCode(record) > 0 && !waiting && policy === 'Never');
  if (failedInit) return 'Failed';
  const ended = main.every(({ record, waiting }) => record?.phase === 'exited' && !waiting);
  if (ended && main.length > 0 && (policy !== 'Always' || stopping)) {
    return main.every(({ record }) => exitCode(record) === 0) ? 'Succeeded' : 'Failed';
  }
  return main.some(({ record }) => record !== undefined) ? 'Running' : 'Pending';
}

function exitCode(record: ContainerRecord | undefined): number {
  return record?.phase === 'exited' ? (record.termination?.exitCode ?? 0) : -1;
}

function conditions(input: StatusInput, phase: PodPhase): PodCondition[] {
  const { init, main } = input;
  const completed = phase === 'Succeeded';
  const unfinished = init.filter((view) => !isInitDone(view)).map((view) => view.container.name);
  const initialized: Verdict =
    unfinished.length === 0 || completed
      ? { status: 'True' }
      : {
          status: 'False',
          reason: 'ContainersNotInitialized',
          message: `containers with incomplete status: [${unfinished.join(' ')}]`,
        };
  const unready = main
    .filter((view) => !(view.record?.phase === 'running' && view.ready))
    .map((view) => view.container.name);
  const ready = readiness(phase, unready);
  return [
    condition(input, 'PodReadyToStartContainers', { status: input.podIP ? 'True' : 'False' }),
    condition(input, 'Initialized', completed ? { status: 'True', reason: 'PodCompleted' } : initialized),
    condition(input, 'Ready', ready),
    condition(input, 'ContainersReady', ready),
    condition(input, 'PodScheduled', { status: 'True' }),
  ];
}

function readiness(phase: PodPhase, unready: string[]): Verdict {
  if (phase === 'Succeeded') return { status: 'False', reason: 'PodCompleted' };
  if (phase === 'Failed') return { status: 'False', reason: 'PodFailed' };
  if (unready.length === 0) return { status: 'True' };
  const message = `containers with unready status: [${unready.join(' ')}]`;
  return { status: 'False', reason: 'ContainersNotReady', message };
}

/** A sidecar is done initialising when it has started; any other init container when it has ended well. */
export function isInitDone(view: ContainerView): boolean {
  if (view.container.restartPolicy === 'Always') return view.record?.phase === 'running' && view.started;
  return exitCode(view.record) === 0;
}

type Verdict = Pick<PodCondition, 'status' | 'reason' | 'message'>;

const OWN = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'];

function condition({ pod, now }: StatusInput, type: string, verdict: Verdict): PodCondition {
  const before = pod.status?.conditions?.find((one) => one.type === type);
  const lastTransitionTime = (before?.status === verdict.status && before.lastTransitionTime) || timestamp(now);
  return { type, ...verdict, lastProbeTime: null, lastTransitionTime };
}

/** Conditions that others wrote are theirs. */
function foreign(pod: Pod): PodCondition[] {
  return (pod.status?.conditions ?? []).filter(({ type }) => !OWN.includes(type));
}

function qosClass(pod: Pod): string {
  const resources = pod.spec.containers.map((container) => container.resources ?? {});
  if (resources.every(({ requests, limits }) => !size(requests) && !size(limits))) return 'BestEffort';
  const guaranteed = resources.every(({ requests = {}, limits = {} }) =>
    ['cpu', 'memory'].every((name) => limits[name] !== undefined && (requests[name] ?? limits[name]) === limits[name]),
  );
  return guaranteed ? 'Guaranteed' : 'Burstable';
}

function size(map: object | undefined): number {
  return Object.keys(map ?? {}).length;
}
