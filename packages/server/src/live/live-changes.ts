import type { Clock } from '../clock.ts';
import type { Queryable, Transaction } from '../db/database.ts';

/**
 * What event streams tell, in order. A change is written in the transaction that makes it; its position comes from the team's row,
 * whose lock is held until the commit: so positions of a team are given in the order of commits, without gaps, and whoever reads up to a
 * position has seen everything before it.
 */
export const LIVE_CHANNEL = 'berth_live';
const KEPT = 2_000;
const PRUNE_EVERY = 100;

export type LiveChangeKind = 'deployment' | 'removed' | 'activity';

export interface LiveChange {
  position: number;
  kind: LiveChangeKind;
  objectId: string;
}

/** Take it last in a transaction: from here on, every other change of the team waits for the commit. */
export async function recordLiveChange(
  transaction: Transaction,
  change: { teamId: string; kind: LiveChangeKind; objectId: string },
  clock: Clock,
): Promise<void> {
  const [team] = await transaction.query<{ livePosition: number }>(
    'update teams set live_position = live_position + 1 where id = $1 returning live_position',
    [change.teamId],
  );
  // The team is gone, and with it everybody who could listen.
  if (!team) return;
  const position = team.livePosition;
  await transaction.execute(
    'insert into live_changes (team_id, position, kind, object_id, at) values ($1, $2, $3, $4, $5)',
    [change.teamId, position, change.kind, change.objectId, clock()],
  );
  if (position % PRUNE_EVERY === 0) {
    await transaction.execute('delete from live_changes where team_id = $1 and position <= $2', [
      change.teamId,
      position - KEPT,
    ]);
  }
  await transaction.execute('select pg_notify($1, $2)', [LIVE_CHANNEL, change.teamId]);
}

export async function livePosition(queryable: Queryable, teamId: string): Promise<number> {
  const [team] = await queryable.query<{ livePosition: number }>(
    'select live_position from teams where id = $1',
    [teamId],
    { prepared: 'live_position' },
  );
  return team?.livePosition ?? 0;
}

/** The changes after a position, or undefined when some of them are no longer kept (or the position never was). */
export async function changesAfter(
  queryable: Queryable,
  teamId: string,
  after: { position: number; limit: number },
): Promise<LiveChange[] | undefined> {
  const newest = await livePosition(queryable, teamId);
  if (after.position > newest) return undefined;
  if (after.position === newest) return [];
  const changes = await queryable.query<LiveChange>(
    'select position, kind, object_id from live_changes where team_id = $1 and position > $2 order by position limit $3',
    [teamId, after.position, after.limit],
  );
  return changes[0]?.position === after.position + 1 ? changes : undefined;
}
