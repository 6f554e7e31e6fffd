import type { ServerResponse } from 'node:http';
import { findById } from '../deployment/deployment-repository.ts';
import { drained } from '../http/event-writer.ts';
import type { HandlerContext } from '../http/handler.ts';
import { createAccessCheck } from './access-check.ts';
import { logChoice } from './log-choice.ts';
import { createLogCursor, sortableTime } from './log-position.ts';
import { mergeBy } from './merge-by-time.ts';
import { type PodLine, readWritten } from './read-pod-log.ts';
import { type LogDeps, podsOf } from './stream-logs.ts';

const LINES_BETWEEN_CHECKS = 1_000;
const PIECE_CHARACTERS = 32 * 1024;

/** What pods have written, merged by time, as a file. Only as much is held as the client has yet to take. */
export async function downloadLogs(deps: LogDeps, context: HandlerContext<'downloadLogs'>): Promise<undefined> {
  const { client, timer, database } = deps;
  const { params, query, request } = context;
  const choice = logChoice(await findById(database, params.id), query, timer.now());
  const pods = await podsOf(client, choice);
  const access = createAccessCheck(context.access, timer);
  context.setHeader(
    'content-disposition',
    `attachment; filename="${fileName(choice.pods.deployment, query.service, timer.now())}"`,
  );
  const response = context.openStream('text/plain; charset=utf-8');
  const since = choice.since === undefined ? undefined : sortableTime(choice.since);
  const sources = pods.map((pod) => {
    const cursor = createLogCursor(since === undefined ? undefined : { time: since, lines: 0 });
    // A file of which a part is missing must say so.
    const onNotice = (message: string) => void response.write(`# ${pod.name}: ${message}\n`);
    return readWritten({ client, pod, choice, cursor, signal: request.signal, onNotice }, query.tail);
  });
  let piece = '';
  let count = 0;
  for await (const line of mergeBy(sources, ({ mark }) => mark.time)) {
    piece += lineOf(line);
    if (++count % LINES_BETWEEN_CHECKS === 0 && (await access()) !== 'granted') return cut(response);
    if (piece.length < PIECE_CHARACTERS) continue;
    if (!response.write(piece)) await drained(response, timer);
    piece = '';
    if (response.destroyed || request.signal.aborted) return cut(response);
  }
  response.write(piece);
  return undefined;
}

/** Whoever gets half of it must not take it for the whole. */
function cut(response: ServerResponse): undefined {
  response.destroy();
}

function lineOf({ pod, line }: PodLine): string {
  return `${line.at} ${pod.name} ${line.text}\n`;
}

function fileName(deployment: string, services: string | undefined, now: number): string {
  const what = services === undefined ? deployment : `${deployment}-${services.replaceAll(',', '-').slice(0, 100)}`;
  return `${what}-${new Date(now).toISOString().slice(0, 19).replaceAll(':', '')}.log`;
}
