import { readdirSync, readFileSync } from 'node:fs';

/**
 * The processes of a container on this machine, its first one first; none once it has ended. What the runtime calls a container is in the path
 * of its control group.
 */
export function containerProcesses(containerId: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && read(name, 'cgroup').includes(containerId))
    .map((name) => ({ pid: Number(name), inside: numberInside(name) }))
    .filter(({ inside }) => inside > 0)
    .sort((one, other) => one.inside - other.inside)
    .map(({ pid }) => pid);
}

/** Its number in the innermost namespace of processes. */
function numberInside(pid: string): number {
  return Number(/^NSpid:(.*)$/m.exec(read(pid, 'status'))?.[1]?.trim().split(/\s+/).at(-1) ?? 0);
}

/** Empty once the process is gone. */
function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}
