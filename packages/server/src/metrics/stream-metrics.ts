import type { MetricEvent } from '@berth/core/metrics';
import type { Clock } from '@berth/kube/client/clock';
import type { Database } from '../db/database.ts';
import { findById } from '../deployment/deployment-repository.ts';
import type { HandlerContext } from '../http/handler.ts';
import { createAccessCheck } from '../live/access-check.ts';
import type { LiveHub } from '../live/live-hub.ts';
import { createWakeUp } from '../live/wake-up.ts';
import { toPoints } from './metric-series.ts';
import { listSamplesAfter, METRICS_KEY, STEPS } from './sample-repository.ts';

export interface StreamMetricsDeps {
  database: Database;
  hub: LiveHub;
  timer: Clock;
}

const LOOK_EVERY_MS = 2_000;
/** Should a notification be lost, samples are found after so many looks. */
const LOOKS_PER_READ = 5;
const FINEST = STEPS[0];
const LATEST_MS = 30_000;

/** Each round of measuring as it is made, from a position (`Last-Event-ID`, seconds) or else from the latest round on. */
export async function streamMetrics(
  { database, hub, timer }: StreamMetricsDeps,
  context: HandlerContext<'streamMetrics'>,
): Promise<undefined> {
  const { params, request } = context;
  const { signal } = request;
  const wakeUp = createWakeUp(timer, signal);
  const unsubscribe = hub.subscribe(METRICS_KEY, wakeUp.ring);
  try {
    const asked = positionOf(request.header('last-event-id'));
    const oldest = timer.now() - (FINEST?.seconds ?? 0) * 1000;
    let position = asked === undefined ? timer.now() - LATEST_MS : Math.max(asked * 1000, oldest);
    const events = context.openEvents();
    const access = createAccessCheck(context.access, timer);
    const send = (event: MetricEvent, at?: number) => events.send(event, at);
    if (asked !== undefined) await send({ type: 'resumed' }, asked);

    /** Why it ends, if it does; else what was measured is told. */
    async function look(read: boolean): Promise<MetricEvent | undefined> {
      const row = await findById(database, params.id);
      if (!row) return { type: 'end', reason: 'removed' };
      if (!read) return undefined;
      const samples = await listSamplesAfter(database, params.id, new Date(position));
      const names = row.spec.services.map(({ name }) => name);
      for (const point of toPoints(samples, names)) {
        position = point.at * 1000;
        await send({ type: 'point', point }, point.at);
      }
      return undefined;
    }

    let last = await look(true);
    for (let count = 1; !last && !events.closed; count++) {
      const rang = await wakeUp.wait(LOOK_EVERY_MS);
      if (signal.aborted) break;
      const now = await access();
      last = await look(now === 'granted' && (rang || count % LOOKS_PER_READ === 0));
      if (!last && now !== 'granted') last = { type: 'end', reason: now };
      events.keepAlive();
    }
    if (!last && signal.reason === 'shutting_down') last = { type: 'end', reason: 'shutting_down' };
    if (last) await send(last);
    return undefined;
  } finally {
    unsubscribe();
  }
}

function positionOf(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,11}$/.test(header) ? Number(header) : undefined;
}
