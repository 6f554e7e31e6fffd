import { BerthError } from '@berth/core/errors';
import type { LogEvent } from '@berth/core/log-event';
import type { Clock } from '@berth/kube/client/clock';
import { delay } from '@berth/kube/client/clock';
import type { Database } from '../db/database.ts';
import { findById } from '../deployment/deployment-repository.ts';
import type { HandlerContext } from '../http/handler.ts';
import { createAccessCheck } from './access-check.ts';
import { createLogPosition, type LogLine, type LogPosition } from './log-line.ts';
import { type LogClient, listPods, readLog, type ServicePods } from './pod-logs.ts';

export interface StreamLogsDeps {
  database: Database;
  client: LogClient;
  timer: Clock;
}

const DEFAULT_TAIL = 200;
const LOOK_EVERY_MS = 1_000;

/**
 * The log stream of one service, as `core/log-event.ts` describes it. Every pod is followed on its own, across restarts of its
 * container; pods that come are followed from their beginning. A client that reads slowly slows the pods' readers.
 */
export async function streamLogs(deps: StreamLogsDeps, context: HandlerContext<'streamLogs'>): Promise<undefined> {
  const { client, timer, database } = deps;
  const { params, query, request } = context;
  const pods = await servicePods(database, params.id, query.service ?? '');
  const first = await listPods(client, pods).catch((cause: unknown) => {
    throw new BerthError('unavailable', 'The cluster does not answer, so there are no logs. Try again soon.', {
      cause,
    });
  });
  const writer = context.openEvents();
  const send = (event: LogEvent) => writer.send(event);
  const access = createAccessCheck(context.access, timer);
  const ending = new AbortController();
  const end = () => ending.abort();
  request.signal.addEventListener('abort', end, { once: true });
  const followers = createFollowers({ client, timer, signal: ending.signal, pods, send });

  async function why(): Promise<LogEvent | undefined> {
    if (request.signal.aborted) return request.signal.reason === 'shutting_down' ? ended('shutting_down') : undefined;
    const now = await access();
    // Looked for after the rights: what is gone is nobody's to read, which would look like a right that was taken away.
    if (!(await findById(database, params.id))) return ended('removed');
    return now === 'granted' ? undefined : ended(now);
  }

  /** Resolves to the last event, or to nothing when the client has gone. */
  async function run(): Promise<LogEvent | undefined> {
    if (first.length === 0)
      await send({ type: 'notice', service: pods.service, message: `No pod of ${pods.service} runs.` });
    await followers.tail(first, query.tail ?? DEFAULT_TAIL);
    if (query.follow === 'false') return ended('complete');
    let known = first;
    while (!writer.closed) {
      for (const pod of known) followers.follow(pod);
      await delay(timer, LOOK_EVERY_MS, request.signal);
      const last = await why();
      if (last || request.signal.aborted) return last;
      // A cluster that does not answer for a moment has not lost its pods.
      known = await listPods(client, pods).catch(() => known);
      await followers.forgetExcept(known);
      writer.keepAlive();
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

function ended(reason: Extract<LogEvent, { type: 'end' }>['reason']): LogEvent {
  return { type: 'end', reason };
}

async function servicePods(database: Database, id: string, service: string): Promise<ServicePods> {
  const row = await findById(database, id);
  if (!row?.spec.services.some(({ name }) => name === service)) {
    throw new BerthError('not_found', `The deployment has no service "${service}".`);
  }
  return { namespace: row.namespace, deployment: row.name, service };
}

interface FollowersDeps {
  client: LogClient;
  timer: Clock;
  signal: AbortSignal;
  pods: ServicePods;
  send(event: LogEvent): Promise<void>;
}

/** One reader a pod. */
function createFollowers({ client, timer, signal, pods, send }: FollowersDeps) {
  const { namespace, service } = pods;
  const positions = new Map<string, LogPosition>();
  const running = new Map<string, { stop: AbortController; done: Promise<void> }>();

  function positionOf(pod: string): LogPosition {
    const position = positions.get(pod) ?? createLogPosition();
    positions.set(pod, position);
    return position;
  }

  async function sendNew(lines: AsyncIterable<LogLine>, position: LogPosition): Promise<void> {
    for await (const line of lines) if (position.isNew(line)) await send({ type: 'line', service, ...line });
  }

  async function read(pod: string, stop: AbortSignal): Promise<void> {
    const position = positionOf(pod);
    let told: string | undefined;
    while (!stop.aborted) {
      position.restart();
      const lines = await readLog(client, { namespace, pod, follow: true, since: position.since(), signal: stop });
      // The next look at the pods finds that too, and says so.
      if (lines === undefined) return;
      if (typeof lines === 'string') {
        if (lines !== told) await send({ type: 'notice', service, message: `${pod}: ${lines}` });
        told = lines;
      } else {
        await sendNew(lines, position);
      }
      await delay(timer, LOOK_EVERY_MS, stop);
    }
  }

  return {
    /** The last lines of all pods, in the order of their time. */
    async tail(names: readonly string[], tail: number): Promise<void> {
      const lines: LogLine[] = [];
      for (const pod of names) {
        const position = positionOf(pod);
        const found = await readLog(client, { namespace, pod, follow: false, tail, signal });
        if (found === undefined || typeof found === 'string') continue;
        for await (const line of found) if (position.isNew(line)) lines.push(line);
      }
      lines.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
      for (const line of lines) await send({ type: 'line', service, ...line });
    },
    follow(pod: string): void {
      if (running.has(pod) || signal.aborted) return;
      const stop = new AbortController();
      signal.addEventListener('abort', () => stop.abort(), { once: true });
      // A reader that breaks is started again at the next look.
      const done = read(pod, stop.signal)
        .catch(() => undefined)
        .finally(() => running.delete(pod));
      running.set(pod, { stop, done });
    },
    async forgetExcept(names: readonly string[]): Promise<void> {
      for (const pod of [...positions.keys()]) {
        if (names.includes(pod)) continue;
        positions.delete(pod);
        running.get(pod)?.stop.abort();
        await send({ type: 'notice', service, message: `${pod} is gone.` });
      }
    },
    async stopped(): Promise<void> {
      await Promise.all([...running.values()].map(({ done }) => done));
    },
  };
}
