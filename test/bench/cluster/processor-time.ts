import { readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** What a process has taken so far, of its own and for it in the kernel. */
export function processorSecondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
