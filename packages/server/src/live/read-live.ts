import type { LiveEvent } from '@berth/core/live';
import type { Permission } from '@berth/core/permissions';
import type { Database, Queryable } from '../db/database.ts';
import { findActivities, listActivity } from '../deployment/activity.ts';
import { findManyById, list } from '../deployment/deployment-repository.ts';
import { presentDeployment } from '../deployment/present-deployment.ts';
import { changesAfter, type LiveChange, livePosition } from './live-changes.ts';

/** Events of a team with the position that each is true at, read at one instant. */
export interface LiveBatch {
  events: { event: LiveEvent; position: number }[];
  /** Everything up to here has been told. */
  position: number;
  /** There may be more at once. */
  full: boolean;
}

export interface LiveReader {
  database: Database;
  teamId: string;
  permissions: ReadonlySet<Permission>;
  urlOf(host: string): string;
}

const BATCH = 500;
const ACTIVITY_SHOWN = 100;
const MOST_DEPLOYMENTS = 10_000;

/**
 * What happened after a position; a snapshot when there is none or when too much has happened since. All of it is read at one
 * instant, in which positions and rows agree, so the next batch begins exactly where this one ends.
 */
export function readLive(reader: LiveReader, position: number | undefined): Promise<LiveBatch> {
  return reader.database.transaction(async (transaction) => {
    await transaction.execute('set transaction isolation level repeatable read, read only');
    const changes =
      position === undefined ? undefined : await changesAfter(transaction, reader.teamId, { position, limit: BATCH });
    if (changes === undefined || position === undefined) return snapshot(transaction, reader);
    return eventsOf(transaction, reader, { changes, position });
  });
}

async function snapshot(queryable: Queryable, reader: LiveReader): Promise<LiveBatch> {
  const { teamId } = reader;
  const position = await livePosition(queryable, teamId);
  const rows = await list(queryable, { teamId, limit: MOST_DEPLOYMENTS });
  const activity = await listActivity(queryable, { of: { teamId }, limit: ACTIVITY_SHOWN });
  const deployments = rows.map((row) => presentDeployment(row, reader));
  return { events: [{ event: { type: 'snapshot', deployments, activity }, position }], position, full: false };
}

async function eventsOf(
  queryable: Queryable,
  reader: LiveReader,
  { changes, position }: { changes: readonly LiveChange[]; position: number },
): Promise<LiveBatch> {
  const newest = newestOfEach(changes);
  const idsOf = (kind: LiveChange['kind']) => newest.filter((each) => each.kind === kind).map((each) => each.objectId);
  const rows = new Map((await findManyById(queryable, idsOf('deployment'))).map((row) => [row.id, row]));
  const activities = new Map(
    (await findActivities(queryable, idsOf('activity').map(Number))).map((each) => [String(each.id), each]),
  );
  const toEvent = ({ kind, objectId }: LiveChange): LiveEvent | undefined => {
    if (kind === 'removed') return { type: 'removed', id: objectId };
    const row = rows.get(objectId);
    if (kind === 'deployment') return row && { type: 'deployment', deployment: presentDeployment(row, reader) };
    const activity = activities.get(objectId);
    return activity && { type: 'activity', activity };
  };
  const events = newest.flatMap((change) => {
    const event = toEvent(change);
    return event ? [{ event, position: change.position }] : [];
  });
  return { events, position: changes.at(-1)?.position ?? position, full: changes.length === BATCH };
}

/** A deployment that changed ten times is told once, as it is now, at the place of its last change. */
function newestOfEach(changes: readonly LiveChange[]): LiveChange[] {
  const newest = new Map<string, LiveChange>();
  for (const change of changes) {
    const key = change.kind === 'activity' ? `activity ${change.objectId}` : `deployment ${change.objectId}`;
    newest.delete(key);
    newest.set(key, change);
  }
  return [...newest.values()];
}
