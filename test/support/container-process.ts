import { readdirSync, readFileSync } from 'node:fs';

/** The first process of a container on this machine, found by its control group: what the runtime calls it is in its path. */
export function containerProcess(containerId: string): number {
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || !read(name, 'cgroup').includes(containerId)) continue;
    // Its numbers from the outermost namespace of processes to its own, where it is the first.
    const numbers = /^NSpid:(.*)$/m.exec(read(name, 'status'))?.[1]?.trim().split(/\s+/) ?? [];
    if (numbers.length > 1 && numbers.at(-1) === '1') return Number(name);
  }
  throw new Error(`no process of container ${containerId} on this machine`);
}

/** Empty once the process is gone. */
function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}
