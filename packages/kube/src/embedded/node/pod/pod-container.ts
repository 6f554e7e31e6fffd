import { mkdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Clock } from '../../../client/clock.ts';
import type { Container } from '../../../schema/kinds/pod.ts';
import { KubeError } from '../../../schema/status.ts';
import type { LogRequest } from '../../api/node-agent.ts';
import { type ContainerLog, createContainerLog, type LogLimits } from '../logs/container-log.ts';
import { followLog } from '../logs/follow-log.ts';
import { print, readLog } from '../logs/read-log.ts';
import type { ProbeKind } from '../probes/probe-state.ts';
import { type Prober, startProber } from '../probes/prober.ts';
import { type HandlerLimits, type HandlerTarget, runHandler } from '../probes/run-handler.ts';
import { type ContainerProcess, createContainerProcess, type Launch } from '../process/container-process.ts';
import type { RestartTimings } from '../process/restart-backoff.ts';
import { runCommand } from '../process/run-command.ts';
import type { ContainerView } from '../status/pod-status.ts';

/** One container of a pod on this node: its process, its probes and its log, and why it waits when it does. */
export interface PodContainer {
  readonly name: string;
  readonly process: ContainerProcess;
  readonly log: ContainerLog;
  waiting: { reason: string; message?: string } | undefined;
  view(container: Container): ContainerView;
  start(launch: Launch): void;
  /** Begins to probe a running container; does nothing when it is probed already. */
  probe(probing: Probing): void;
  /** Runs a hook of the container's life cycle. */
  runHook(
    probing: Pick<Probing, 'container' | 'address' | 'listenPorts' | 'launch'>,
    hook: 'preStop' | 'postStart',
    limits: HandlerLimits,
  ): Promise<void>;
  pump(): void;
  logs(request: LogRequest): AsyncIterable<Uint8Array>;
  leave(): void;
}

export interface Probing {
  container: Container;
  address: string;
  listenPorts: Record<string, number>;
  launch: Launch;
  assume: { started: boolean; ready: boolean };
  onFailure: (failure: { kind: ProbeKind; message: string; verdict: boolean }) => void;
}

export interface PodContainerOptions {
  name: string;
  directory: string;
  mark: string;
  clock: Clock;
  restart: RestartTimings;
  pollMs: number;
  logLimits: LogLimits;
  onChange: () => void;
}

export function createPodContainer(options: PodContainerOptions): PodContainer {
  const { clock, directory } = options;
  mkdirSync(directory, { recursive: true });
  const log = createContainerLog(directory, clock, options.logLimits);
  let prober: Prober | undefined;
  let waiting: PodContainer['waiting'];

  const process = createContainerProcess({
    ...options,
    onExit() {
      prober?.stop();
      prober = undefined;
      log.pump(process.record()?.attempt ?? 0, true);
      options.onChange();
    },
  });
  process.adopt();

  function pump(): void {
    const record = process.record();
    if (record) log.pump(record.attempt, record.phase === 'exited');
  }

  return {
    name: options.name,
    process,
    log,
    get waiting() {
      return waiting;
    },
    set waiting(next) {
      waiting = next;
    },
    view(container) {
      const record = process.record();
      const probed = container.startupProbe ?? container.readinessProbe;
      return {
        container,
        mark: options.mark,
        record,
        waiting,
        started: prober ? prober.started() : !container.startupProbe,
        ready: prober ? prober.ready() : !probed && process.isRunning(),
      };
    },
    start(launch) {
      pump();
      waiting = undefined;
      process.start(launch);
    },
    probe({ container, address, listenPorts, launch, assume, onFailure }) {
      if (prober || !process.isRunning()) return;
      const target = targetOf({ container, address, listenPorts, launch });
      const startedAt = process.record()?.startedAt ?? clock.now();
      prober = startProber({ container, target, clock, startedAt, assume, onFailure, onChange: options.onChange });
    },
    async runHook(probing, hook, limits) {
      const handler = probing.container.lifecycle?.[hook];
      if (!handler || !process.isRunning()) return;
      const outcome = await runHandler(targetOf(probing), handler, limits);
      if (!outcome.success) throw new Error(`${hook} hook failed: ${outcome.message}`);
    },
    pump,
    async *logs(request) {
      pump();
      const attempt = (process.record()?.attempt ?? 0) - (request.previous ? 1 : 0);
      if (!process.record() || attempt < 0) {
        const what = request.previous ? 'previous terminated container' : 'container';
        throw new KubeError(
          400,
          'BadRequest',
          `${what} "${request.container}" in pod "${request.pod}" is waiting to start`,
        );
      }
      yield* readOrFollow({
        log,
        attempt,
        request,
        clock,
        pump,
        isLive: () => process.isRunning() && process.record()?.attempt === attempt,
      });
    },
    leave() {
      pump();
      prober?.stop();
      process.leave();
    },
  };
}

function targetOf({
  container,
  address,
  listenPorts,
  launch,
}: Pick<Probing, 'container' | 'address' | 'listenPorts' | 'launch'>): HandlerTarget {
  return { container, address, listenPorts, exec: (command, limits) => runCommand(launch, command, limits) };
}

const FOLLOW_POLL_MS = 100;

async function* readOrFollow(reading: {
  log: ContainerLog;
  attempt: number;
  request: LogRequest;
  clock: Clock;
  pump: () => void;
  isLive: () => boolean;
}): AsyncIterable<Uint8Array> {
  const { log, attempt, request, clock } = reading;
  const files = log.files(attempt);
  const current = files.at(-1);
  if (!request.follow) return yield* readLog(files, { ...request, now: clock.now() });
  // The place where following begins is fixed before reading, so that nothing is missed or told twice.
  const handle = current ? await open(current, 'r') : undefined;
  const offset = handle ? (await handle.stat()).size : 0;
  yield* readLog(files, { ...request, now: clock.now(), endOfLast: offset });
  const file = current ?? log.currentFile(attempt);
  const isLive = (): boolean => {
    const live = reading.isLive();
    reading.pump();
    return live;
  };
  const follow = followLog({
    file,
    from: handle,
    offset,
    isLive,
    pollMs: FOLLOW_POLL_MS,
    clock,
    signal: request.signal,
  });
  yield* print(follow, request.timestamps);
}
