import { readProc } from '../process/read-proc.ts';

/** What /proc says of memory and of the whole machine. Everything in bytes and seconds. */
export interface Memory {
  /** Anonymous pages of this process alone. */
  own: number;
  /** Shared memory that it has mapped; others may have mapped the same. */
  shared: number;
}

const KIB = 1024;

/** Undefined when the process is gone. */
export function readMemory(pid: number): Memory | undefined {
  const status = readProc(`/proc/${pid}/status`);
  if (status === undefined) return undefined;
  const own = kibOf(status, 'RssAnon');
  // A kernel that does not tell them apart.
  if (own === undefined) return { own: (kibOf(status, 'VmRSS') ?? 0) * KIB, shared: 0 };
  return { own: own * KIB, shared: (kibOf(status, 'RssShmem') ?? 0) * KIB };
}

/**
 * What a group of processes keeps in memory that cannot be dropped: the anonymous pages of each, and shared memory once, as the largest
 * share that one of them has. Pages of files (programs, libraries) are left out, since all on this machine share them.
 */
export function sumMemory(parts: Memory[]): number {
  const shared = Math.max(0, ...parts.map((part) => part.shared));
  return parts.reduce((sum, part) => sum + part.own, shared);
}

/** Resident pages of any kind, in one short read. An upper bound of what `readMemory` tells. */
export function readResidentBytes(pid: number): number {
  const pages = Number(readProc(`/proc/${pid}/statm`)?.split(' ')[1] ?? 0);
  return pages * pageSize();
}

let pageBytes: number | undefined;
/** Asked of this very process, in pages and in KiB: some ARM machines have larger pages than the rest of the world. */
function pageSize(): number {
  if (pageBytes !== undefined) return pageBytes;
  const pages = Number(readProc('/proc/self/statm')?.split(' ')[1] ?? 0);
  const resident = (kibOf(readProc('/proc/self/status') ?? '', 'VmRSS') ?? 0) * KIB;
  pageBytes = pages > 0 && resident > 0 ? 2 ** Math.round(Math.log2(resident / pages)) : 4 * KIB;
  return pageBytes;
}

export interface MachineUsage {
  /** Since the machine started. */
  busySeconds: number;
  memoryBytes: number;
}

export function readMachine(ticksPerSecond: number): MachineUsage {
  const [, user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = (
    readProc('/proc/stat')?.split('\n', 1)[0] ?? ''
  )
    .split(/\s+/)
    .map(Number);
  const memory = readProc('/proc/meminfo') ?? '';
  const used = (kibOf(memory, 'MemTotal') ?? 0) - (kibOf(memory, 'MemAvailable') ?? 0);
  return { busySeconds: (user + nice + system + irq + softirq + steal) / ticksPerSecond, memoryBytes: used * KIB };
}

function kibOf(text: string, name: string): number | undefined {
  const at = text.indexOf(`${name}:`);
  return at < 0 ? undefined : Number.parseInt(text.slice(at + name.length + 1), 10);
}
