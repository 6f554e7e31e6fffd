import type { ProcessEntry } from '../process/process-table.ts';

/**
 * Which processes belong to which container: its leader, all of the leader's session, and whatever descends from one of those, also
 * when it leads a session of its own, as the processes of a database server do. One that left its session and lost its parent must be
 * among the leaders to be counted.
 */
export function membersOf(table: ProcessEntry[], leaders: ReadonlyMap<number, string>): Map<string, ProcessEntry[]> {
  const byPid = new Map(table.map((entry) => [entry.pid, entry]));
  const owners = new Map<number, string | undefined>([...leaders].filter(([pid]) => byPid.has(pid)));

  function ownerOf(entry: ProcessEntry): string | undefined {
    if (owners.has(entry.pid)) return owners.get(entry.pid);
    // Before going up: a table read in pieces may hold a circle.
    owners.set(entry.pid, undefined);
    const parent = byPid.get(entry.parent);
    const owner = leaders.get(entry.session) ?? (parent && ownerOf(parent));
    owners.set(entry.pid, owner);
    return owner;
  }

  const members = new Map<string, ProcessEntry[]>();
  for (const entry of table) {
    const owner = ownerOf(entry);
    if (owner === undefined) continue;
    const known = members.get(owner) ?? [];
    members.set(owner, known);
    known.push(entry);
  }
  return members;
}
