import { mkdirSync } from 'node:fs';
import type { Clock } from '../../../client/clock.ts';
import type { Logger } from '../../../client/logger.ts';
import type { Container } from '../../../schema/kinds/pod.ts';
import type { CommandProcess, LogRequest } from '../../api/node-agent.ts';
import { startCommand } from '../exec/start-command.ts';
import { type ContainerLog, createContainerLog, type LogLimits } from '../logs/container-log.ts';
import { attemptToRead, containerLogs } from '../logs/container-logs.ts';
import type { ProbeKind } from '../probes/probe-state.ts';
import { type Prober, startProber } from '../probes/prober.ts';
import { type HandlerLimits, type HandlerTarget, runHandler } from '../probes/run-handler.ts';
import {
  type ContainerProcess,
  containerId,
  createContainerProcess,
  type Launch,
  MARK_VARIABLE,
} from '../process/container-process.ts';
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
  /** Runs one more command in the running container; it ends with the container. `launch` is for one that another node started. */
  exec(launch: () => Launch, how: { command: readonly string[]; tty: boolean }): CommandProcess;
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
  logger: Logger;
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
  let started: Launch | undefined;
  const commands = new Set<CommandProcess>();

  function endCommands(): void {
    for (const command of commands) {
      command
        .kill({ atOnce: true })
        .catch((err: unknown) => options.logger.warn({ err }, 'a command could not be ended'));
    }
  }

  const process = createContainerProcess({
    ...options,
    onExit() {
      prober?.stop();
      prober = undefined;
      endCommands();
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
      started = launch;
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
    exec(launch, how) {
      const own = started ?? launch();
      const environment = {
        ...own.environment,
        [MARK_VARIABLE]: containerId(options.mark, process.record()?.attempt ?? 0),
      };
      const command = startCommand({ ...own, environment }, { ...how, clock });
      commands.add(command);
      const forget = (): void => void commands.delete(command);
      command.ended.then(forget, forget);
      return command;
    },
    pump,
    async *logs(request) {
      pump();
      const attempt = attemptToRead(process.record(), waiting !== undefined, request);
      yield* containerLogs({
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
      endCommands();
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
