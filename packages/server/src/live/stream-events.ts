import type { Permission } from '@berth/core/permissions';
import type { Clock } from '@berth/kube/client/clock';
import type { Database } from '../db/database.ts';
import type { EventSink } from '../http/event-writer.ts';
import type { HandlerContext } from '../http/handler.ts';
import { createAccessCheck } from './access-check.ts';
import type { LiveHub } from './live-hub.ts';
import { type LiveBatch, readLive } from './read-live.ts';
import { currentPermissions } from './team-permissions.ts';
import { createWakeUp } from './wake-up.ts';

export interface StreamEventsDeps {
  database: Database;
  hub: LiveHub;
  timer: Clock;
  urlOf(host: string): string;
}

/** Access is looked at this often. */
const LOOK_EVERY_MS = 2_000;
/** Should a notification be lost, changes are found after so many looks. */
const LOOKS_PER_READ = 5;

/**
 * The event stream of one team, as `core/live.ts` describes it. The stream holds nothing but its position: it sleeps until
 * something may have changed, reads what is after its position, writes it, and waits for the client to take it. A client that
 * is too slow finds a snapshot instead of a backlog.
 */
export async function streamEvents(
  deps: StreamEventsDeps,
  context: HandlerContext<'streamEvents'>,
): Promise<undefined> {
  const { timer } = deps;
  const { scope, actor, request } = context;
  const { signal } = request;
  const access = createAccessCheck(context.access, timer);
  const wakeUp = createWakeUp(timer, signal);
  // Before the first look: what comes in between rings the bell.
  const unsubscribe = deps.hub.subscribe(scope.teamId, wakeUp.ring);
  let permissions = scope.permissions;
  const read = (position: number | undefined) => readLive({ ...deps, teamId: scope.teamId, permissions }, position);
  try {
    const asked = positionOf(request.header('last-event-id'));
    let batch = await read(asked);
    const writer = context.openEvents();
    if (asked !== undefined && batch.events[0]?.event.type !== 'snapshot')
      await writer.send({ type: 'resumed' }, asked);
    await writeAll(writer, batch);
    for (let look = 1; !signal.aborted && !writer.closed; look++) {
      const rang = batch.full || (await wakeUp.wait(LOOK_EVERY_MS));
      if (signal.aborted) break;
      const now = await access();
      if (now !== 'granted') {
        await writer.send({ type: 'end', reason: now });
        return undefined;
      }
      const current = await currentPermissions(deps.database, actor.userId, scope);
      const changed = !samePermissions(current, permissions);
      permissions = current;
      if (rang || changed || look % LOOKS_PER_READ === 0) {
        // What somebody may do is part of each deployment: all of them are told anew.
        batch = await read(changed ? undefined : batch.position);
        await writeAll(writer, batch);
      }
      writer.keepAlive();
    }
    if (signal.reason === 'shutting_down') await writer.send({ type: 'end', reason: 'shutting_down' });
    return undefined;
  } finally {
    unsubscribe();
  }
}

async function writeAll(writer: EventSink, batch: LiveBatch): Promise<void> {
  for (const { event, position } of batch.events) await writer.send(event, position);
}

function positionOf(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,15}$/.test(header) ? Number(header) : undefined;
}

function samePermissions(a: ReadonlySet<Permission>, b: ReadonlySet<Permission>): boolean {
  return a.size === b.size && [...a].every((each) => b.has(each));
}
