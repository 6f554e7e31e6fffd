import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/**
 * A process by more than its number, which the system gives again: number and start time together belong to one process
 * only, and the boot they belong to guards against the same pair after a restart of the machine.
 */
export interface ProcessIdentity {
  pid: number;
  startTime: string;
  boot: string;
}

const onLinux = process.platform === 'linux';

/** Undefined when there is no such process, or only the zombie of one: it has ended, whatever its parent makes of it. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const startTime = onLinux ? linuxStartTime(pid) : psStartTime(pid);
  return startTime === undefined ? undefined : { pid, startTime, boot: bootId() };
}

export function isAlive(identity: ProcessIdentity): boolean {
  const now = identifyProcess(identity.pid);
  return now !== undefined && now.startTime === identity.startTime && now.boot === identity.boot;
}

/** The processes whose environment has `NAME=value`: what a crash between start and record left behind. */
export function findByEnvironment(name: string, value: string): number[] {
  const entry = `${name}=${value}`;
  if (!onLinux) return psByEnvironment(entry);
  return allPids().filter((pid) => environmentOf(pid).includes(entry));
}

export interface MarkedProcess {
  pid: number;
  /** What it was started with of the names asked for. */
  environment: Record<string, string>;
}

/** The processes whose environment has all these names. Told by /proc, so none where there is no such thing. */
export function findWithVariables(names: string[], also: string[] = []): MarkedProcess[] {
  if (!onLinux) return [];
  return allPids().flatMap((pid) => {
    const entries = environmentOf(pid).map((entry) => entry.split(/=(.*)/s, 2) as [string, string]);
    const environment = Object.fromEntries(entries.filter(([name]) => names.includes(name) || also.includes(name)));
    return names.every((name) => name in environment) ? [{ pid, environment }] : [];
  });
}

function allPids(): number[] {
  return readdirSync('/proc')
    .filter((file) => /^\d+$/.test(file))
    .map(Number);
}

/** Signals every process of the group that the leader began; one that is gone is no error. */
export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  send(-leader, signal);
}

/**
 * Signals what is left of the group that this process led, dead or alive. The number of a group that still has members is
 * given to nobody else; so a later process that leads under it, or another boot, means that all of them are gone.
 */
export function signalGroupOf(leader: ProcessIdentity, signal: NodeJS.Signals): void {
  const now = identifyProcess(leader.pid);
  if (leader.boot !== bootId() || (now && now.startTime !== leader.startTime)) return;
  signalGroup(leader.pid, signal);
}

export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  send(pid, signal);
}

function send(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function linuxStartTime(pid: number): string | undefined {
  const stat = readIfPresent(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The second field is a name in parentheses that may itself hold spaces and parentheses: count from the last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
}

function psStartTime(pid: number): string | undefined {
  try {
    const text = execFileSync('ps', ['-o', 'state=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    return text === '' || text.startsWith('Z') ? undefined : text.slice(text.indexOf(' ')).trim();
  } catch {
    // `ps` ends with 1 when there is no such process.
    return undefined;
  }
}

function psByEnvironment(entry: string): number[] {
  const text = execFileSync('ps', ['-E', '-ww', '-x', '-o', 'pid=,command='], {
    encoding: 'utf8',
    maxBuffer: 64 * 2 ** 20,
  });
  return text
    .split('\n')
    .filter((line) => ` ${line} `.includes(` ${entry} `))
    .map((line) => Number.parseInt(line, 10));
}

function environmentOf(pid: number): string[] {
  return readIfPresent(`/proc/${pid}/environ`)?.split('\0') ?? [];
}

let boot: string | undefined;
function bootId(): string {
  boot ??= onLinux ? (readIfPresent('/proc/sys/kernel/random/boot_id')?.trim() ?? '') : '';
  return boot;
}

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Gone since it was listed, or another user's: not one of ours either way.
    return undefined;
  }
}
