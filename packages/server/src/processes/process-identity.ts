import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * A process that can be told from a later one with the same number: pids are used again, within days on a busy machine and at
 * once after a reboot. `started` is compared, never read.
 */
export interface ProcessIdentity {
  pid: number;
  started: string;
}

export function ownIdentity(): ProcessIdentity {
  const identity = identityOf(process.pid);
  if (!identity) throw new Error('cannot read the start time of this process; is /proc mounted?');
  return identity;
}

/** Undefined when no process has that pid, or only what is left of one (a zombie). */
export function identityOf(pid: number): ProcessIdentity | undefined {
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  const started = process.platform === 'linux' ? startedOnLinux(pid) : startedElsewhere(pid);
  return started === undefined ? undefined : { pid, started };
}

export function isRunning(identity: ProcessIdentity): boolean {
  const now = identityOf(identity.pid);
  return now !== undefined && now.started === identity.started;
}

/** Sends a signal to that very process; false when it is gone. */
export function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (!isRunning(identity)) return false;
  try {
    process.kill(identity.pid, signal);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

/** True once it is gone, false when it is still there after the deadline. */
export async function waitForEnd(identity: ProcessIdentity, patienceMs: number): Promise<boolean> {
  const deadline = performance.now() + patienceMs;
  while (isRunning(identity)) {
    if (performance.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return true;
}

/** Ticks since boot, with the boot's own id. The name in the second field may hold spaces and brackets: read after it. */
function startedOnLinux(pid: number): string | undefined {
  const stat = readIfThere(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, ticks] = [fields[0], fields[19]];
  if (state === 'Z' || state === 'X') return undefined;
  return `${ticks} ${bootId()}`;
}

let knownBootId: string | undefined;
function bootId(): string {
  knownBootId ??= (readIfThere('/proc/sys/kernel/random/boot_id') ?? 'unknown').trim();
  return knownBootId;
}

function startedElsewhere(pid: number): string | undefined {
  try {
    const [state, ...started] = execFileSync('ps', ['-o', 'state=,lstart=', '-p', String(pid)], { encoding: 'utf8' })
      .trim()
      .split(/\s+/);
    return state === undefined || state === '' || state.startsWith('Z') ? undefined : started.join(' ');
  } catch {
    // ps fails when there is no such process.
    return undefined;
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return undefined;
    throw error;
  }
}
