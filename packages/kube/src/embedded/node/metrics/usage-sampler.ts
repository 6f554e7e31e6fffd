import type { Clock } from '../../../client/clock.ts';
import type { ContainerUsage, Usage, UsageSample } from '../../api/node-agent.ts';
import { MARK_VARIABLE } from '../process/container-process.ts';
import { findWithVariables, type ProcessIdentity } from '../process/process-identity.ts';
import { readProcessTable, TICKS_PER_SECOND } from '../process/process-table.ts';
import { membersOf } from './members.ts';
import { readMachine, readMemory, readResidentBytes, sumMemory } from './read-usage.ts';

/**
 * Measures what containers use, from /proc. CPU is the time that all processes of a container took between two samples, those that
 * ended and were waited for included; memory is what they hold at the second one. Nothing is estimated: a container has no usage
 * until it was seen twice.
 *
 * The same looks enforce memory limits: every two seconds a short look at the processes known of a container, and only when that comes near
 * the limit an exact one. So a container may be above its limit for that long, and a process it began since the last sample counts
 * from the next one on. The kernel of a real node refuses the very page.
 */
export interface UsageSampler {
  /** The latest, once there are two samples. */
  latest(): UsageSample | undefined;
  /** Takes a sample. */
  sample(): void;
  /** Looks at those with a limit. */
  watchLimits(): void;
}

export interface RunningContainer {
  namespace: string;
  pod: string;
  uid: string;
  name: string;
  leader: ProcessIdentity;
  memoryLimitBytes: number | undefined;
  /** Ends it, since it holds this much and more than its limit. */
  endOverLimit(pids: number[], bytes: number): void;
}

export interface MeasuringTimings {
  sampleMs: number;
  limitMs: number;
}

export const MEASURING_TIMINGS: MeasuringTimings = { sampleMs: 10_000, limitMs: 2000 };

interface Measured {
  container: RunningContainer;
  pids: number[];
  ticks: number;
  memoryBytes: number;
}

interface Sample {
  at: number;
  busySeconds: number;
  containers: Map<string, Measured>;
}

export function createUsageSampler(options: { clock: Clock; containers: () => RunningContainer[] }): UsageSampler {
  const { clock } = options;
  let before: Sample | undefined;
  let latest: UsageSample | undefined;

  function sample(): void {
    const at = clock.monotonic();
    const machine = readMachine(TICKS_PER_SECOND);
    const containers = measure(options.containers());
    for (const measured of containers.values()) endIfOver(measured);
    if (before) {
      const seconds = (at - before.at) / 1000;
      const cpu = coresOver(seconds);
      latest = {
        takenAt: clock.now(),
        windowMs: at - before.at,
        node: { cpuCores: cpu(before.busySeconds, machine.busySeconds), memoryBytes: machine.memoryBytes },
        containers: usageOf(containers, before.containers, cpu),
      };
    }
    before = { at, busySeconds: machine.busySeconds, containers };
  }

  function watchLimits(): void {
    const limited = options.containers().filter(({ memoryLimitBytes }) => memoryLimitBytes !== undefined);
    const near = limited.filter((container) => {
      const known = before?.containers.get(keyOf(container))?.pids ?? [container.leader.pid];
      return known.reduce((sum, pid) => sum + readResidentBytes(pid), 0) > container.memoryLimitBytes!;
    });
    if (near.length > 0) for (const measured of measure(near).values()) endIfOver(measured);
  }

  return { latest: () => latest, sample, watchLimits };
}

function endIfOver({ container, pids, memoryBytes }: Measured): void {
  if (container.memoryLimitBytes !== undefined && memoryBytes > container.memoryLimitBytes) {
    container.endOverLimit(pids, memoryBytes);
  }
}

/** Of one attempt: a restarted container is measured anew. */
function keyOf({ uid, name, leader }: RunningContainer): string {
  return `${uid}/${name}/${leader.pid}/${leader.startTime}`;
}

function measure(containers: RunningContainer[]): Map<string, Measured> {
  const table = readProcessTable();
  const started = new Map(table.map(({ pid, startTime }) => [pid, startTime]));
  const alive = containers.filter(({ leader }) => started.get(leader.pid) === leader.startTime);
  const members = membersOf(table, leadersOf(alive));
  return new Map(
    alive.map((container) => {
      const own = members.get(keyOf(container)) ?? [];
      const pids = own.map(({ pid }) => pid);
      const memory = pids.map(readMemory).filter((one) => one !== undefined);
      const ticks = own.reduce((sum, entry) => sum + entry.ticks, 0);
      return [keyOf(container), { container, pids, ticks, memoryBytes: sumMemory(memory) }];
    }),
  );
}

/** Of each container its first process, and what has its mark: one that left the session and lost its parent is found by nothing else. */
function leadersOf(containers: RunningContainer[]): Map<number, string> {
  const keys = new Map(containers.map((container) => [`${container.uid}/${container.name}`, keyOf(container)]));
  const leaders = new Map(containers.map((container) => [container.leader.pid, keyOf(container)]));
  for (const { pid, environment } of findWithVariables([MARK_VARIABLE])) {
    const key = keys.get(environment[MARK_VARIABLE]!.replace(/\/\d+$/, ''));
    if (key !== undefined && !leaders.has(pid)) leaders.set(pid, key);
  }
  return leaders;
}

/** Never below nothing: what an orphan took is counted by nobody any more. */
function coresOver(seconds: number): (from: number, to: number) => number {
  return (from, to) => Math.max(0, (to - from) / seconds);
}

function usageOf(
  now: Map<string, Measured>,
  before: Map<string, Measured>,
  cpu: (from: number, to: number) => number,
): ContainerUsage[] {
  // A pod is told of as a whole or not at all: a part would look like less than it uses.
  const unseen = new Set([...now].flatMap(([key, { container }]) => (before.has(key) ? [] : [container.uid])));
  return [...now].flatMap(([key, { container, ticks, memoryBytes }]) => {
    const earlier = before.get(key);
    if (!earlier || unseen.has(container.uid)) return [];
    const usage: Usage = { cpuCores: cpu(earlier.ticks, ticks) / TICKS_PER_SECOND, memoryBytes };
    const { namespace, pod, uid, name } = container;
    return [{ namespace, pod, uid, name, usage }];
  });
}
