import { findProcesses, signal } from '../processes.ts';

/** A part of the cluster that hangs: nobody is refused, nobody is answered. Returns when it may go on. */
export async function whileStopped<T>(dir: string, part: string, work: () => Promise<T>): Promise<T> {
  const pids = findProcesses(dir)
    .filter((process) => process.part === part)
    .map(({ pid }) => pid);
  if (pids.length === 0) throw new Error(`there is no process of ${part}`);
  return whileAllStopped(pids, work);
}

export async function whileAllStopped<T>(pids: readonly number[], work: () => Promise<T>): Promise<T> {
  for (const pid of pids) signal(pid, 'SIGSTOP');
  try {
    return await work();
  } finally {
    for (const pid of pids) signal(pid, 'SIGCONT');
  }
}
