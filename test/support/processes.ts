import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Processes as the kernel tells them, by /proc alone: the crash test must not ask the code that it tests. */
export interface Process {
  pid: number;
  parent: number;
  group: number;
  command: string[];
  directory: string;
}

export function processes(): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)) ?? []);
}

/** Undefined once the process is gone; a zombie counts as gone. */
export function readProcess(pid: number): Process | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The command's name is in parentheses and may hold anything, so count from the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z') return undefined;
    return {
      pid,
      parent: Number(fields[1]),
      group: Number(fields[2]),
      command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1),
      directory: readlinkSync(`/proc/${pid}/cwd`),
    };
  } catch {
    return undefined;
  }
}

export function descendants(root: number): Process[] {
  const all = processes();
  const found: Process[] = [];
  const queue = [root];
  for (let pid = queue.shift(); pid !== undefined; pid = queue.shift()) {
    for (const each of all.filter((process) => process.parent === pid)) {
      found.push(each);
      queue.push(each.pid);
    }
  }
  return found;
}
