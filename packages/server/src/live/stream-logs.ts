import { BerthError } from '@berth/core/errors';
import type { LogEvent } from '@berth/core/log-event';
import { MAX_TAIL } from '@berth/core/log-event';
import type { Clock } from '@berth/kube/client/clock';
import { delay } from '@berth/kube/client/clock';
import type { Database } from '../db/database.ts';
import { findById } from '../deployment/deployment-repository.ts';
import type { HandlerContext } from '../http/handler.ts';
import { createAccessCheck } from './access-check.ts';
import { createPodFollowers } from './follow-pods.ts';
import { type LogChoice, logChoice } from './log-choice.ts';
import { decodePositions } from './log-position.ts';
import { type LogClient, type LoggingPod, listPods } from './pod-logs.ts';

export interface LogDeps {
  database: Database;
  client: LogClient;
  timer: Clock;
}

const DEFAULT_TAIL = 200;
const LOOK_EVERY_MS = 1_000;

/**
 * The log stream of a deployment, as `core/log-event.ts` describes it: first what has been written, merged by time; then every pod is
 * followed on its own, across restarts of its container, and pods that come from their beginning. A client that reads slowly
 * slows the pods' readers.
 */
export async function streamLogs(deps: LogDeps, context: HandlerContext<'streamLogs'>): Promise<undefined> {
  const { client, timer, database } = deps;
  const { params, query, request } = context;
  const choice = logChoice(await findById(database, params.id), query, timer.now());
  const first = await podsOf(client, choice);
  const asked = request.header('last-event-id');
  const positions = asked === undefined ? undefined : decodePositions(asked);
  const events = context.openEvents();
  const access = createAccessCheck(context.access, timer);
  const ending = new AbortController();
  const end = () => ending.abort();
  request.signal.addEventListener('abort', end, { once: true });
  const send = (event: LogEvent, position?: string) => events.send(event, position);
  const followers = createPodFollowers({ client, timer, choice, positions, signal: ending.signal, send });

  /** Why the stream ends now, if it does. */
  async function why(): Promise<LogEvent | undefined> {
    if (request.signal.aborted) return request.signal.reason === 'shutting_down' ? ended('shutting_down') : undefined;
    const now = await access();
    // Looked for after the rights: what is gone is nobody's to read, which would look like a right that was taken away.
    if (!(await findById(database, params.id))) return ended('removed');
    return now === 'granted' ? undefined : ended(now);
  }

  async function greet(): Promise<void> {
    if (positions) await send({ type: 'resumed' }, asked);
    for (const service of choice.expected) {
      if (first.some((pod) => pod.service === service)) continue;
      await send({ type: 'notice', service, message: `No pod of ${service} runs.` });
    }
  }

  /** Resolves to the last event, or to nothing when the client has gone. */
  async function run(): Promise<LogEvent | undefined> {
    await greet();
    const tail = query.tail ?? (choice.since === undefined ? DEFAULT_TAIL : MAX_TAIL);
    if (!(await followers.tellWritten(first, tail, async () => (await access()) === 'granted'))) return why();
    if (query.follow === 'false' || choice.previous) return ended('complete');
    let known = first;
    while (!events.closed) {
      for (const pod of known) followers.follow(pod);
      await delay(timer, LOOK_EVERY_MS, request.signal);
      const last = await why();
      if (last || request.signal.aborted) return last;
      // A cluster that does not answer for a moment has not lost its pods.
      known = await listPods(client, choice.pods).catch(() => known);
      await followers.forgetExcept(known);
      events.keepAlive();
    }
    return undefined;
  }

  try {
    const last = await run();
    end();
    await followers.stopped();
    if (last) await send(last);
    return undefined;
  } finally {
    end();
    request.signal.removeEventListener('abort', end);
  }
}

export async function podsOf(client: LogClient, choice: LogChoice): Promise<LoggingPod[]> {
  const pods = await listPods(client, choice.pods).catch((cause: unknown) => {
    throw new BerthError('unavailable', 'The cluster does not answer, so there are no logs. Try again soon.', {
      cause,
    });
  });
  if (choice.pods.pod === undefined || pods.length > 0) return pods;
  throw new BerthError('not_found', `The deployment has no pod "${choice.pods.pod}" now.`);
}

function ended(reason: Extract<LogEvent, { type: 'end' }>['reason']): LogEvent {
  return { type: 'end', reason };
}
