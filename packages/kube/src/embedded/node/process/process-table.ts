import { readdirSync } from 'node:fs';
import { readProc } from './read-proc.ts';

/** What the kernel says of one process, from /proc. Times in ticks, a hundredth of a second each for every program that asks. */
export interface ProcessEntry {
  pid: number;
  parent: number;
  session: number;
  /** User and system time of its own, and that of the children it has waited for. */
  ticks: number;
  startTime: string;
}

export const TICKS_PER_SECOND = 100;
export const hasProcessTable = process.platform === 'linux';

/** All processes of the machine, one read each. Empty where there is no /proc. */
export function readProcessTable(): ProcessEntry[] {
  if (!hasProcessTable) return [];
  const entries: ProcessEntry[] = [];
  for (const name of readdirSync('/proc')) {
    if (name.charCodeAt(0) > 57) continue;
    const entry = readEntry(Number(name));
    if (entry) entries.push(entry);
  }
  return entries;
}

function readEntry(pid: number): ProcessEntry | undefined {
  const stat = readProc(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The second field is a name in parentheses that may itself hold spaces and parentheses: count from the last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system, childUser, childSystem] = fields.slice(11, 15).map(Number) as [number, number, number, number];
  return {
    pid,
    parent: Number(fields[1]),
    session: Number(fields[3]),
    ticks: user + system + childUser + childSystem,
    startTime: fields[19] ?? '',
  };
}
