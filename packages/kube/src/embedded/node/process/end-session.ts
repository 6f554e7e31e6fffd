import { type Clock, delay } from '../../../client/clock.ts';
import { signalGroup, signalProcess } from './process-identity.ts';
import { hasProcessTable, readProcessTable } from './process-table.ts';

/** As when a terminal is closed: shells pass it on to their jobs and end. */
const GRACE_MS = 1000;
const POLL_MS = 50;

/**
 * Ends all that a process began which leads a session: a shell gives each of its jobs a group of its own, so the group alone would not do.
 * Without /proc it is the group alone.
 */
export async function endSession(leader: number, how: { clock: Clock; atOnce: boolean }): Promise<void> {
  const { clock, atOnce } = how;
  if (atOnce) return signalSession(leader, 'SIGKILL');
  signalSession(leader, 'SIGHUP');
  const until = clock.monotonic() + GRACE_MS;
  while (clock.monotonic() < until) {
    if (hasProcessTable && membersOf(leader).length === 0) return;
    await delay(clock, POLL_MS);
  }
  signalSession(leader, 'SIGKILL');
}

function signalSession(leader: number, signal: NodeJS.Signals): void {
  if (!hasProcessTable) signalGroup(leader, signal);
  for (const pid of membersOf(leader)) signalProcess(pid, signal);
}

/** The number of a session that still has members is given to nobody else. */
function membersOf(leader: number): number[] {
  return readProcessTable().flatMap(({ pid, session }) => (session === leader ? [pid] : []));
}
