import type { ServerResponse } from 'node:http';
import { type LogEvent, type LogLevel, MAX_TAIL } from '@berth/core/log-event';
import { isAtLeast, logLevelOf } from '@berth/core/log-level';
import { splitTopic, type TopicEvent } from '@berth/core/stream-topic';
import type { MockApi } from './mock-api.ts';
import { mockPoint } from './mock-metrics.ts';

/** `GET /api/live` of the mock: each topic by itself, all over one answer. */
export function mockLive(url: URL, response: ServerResponse, api: MockApi): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  const stops = url.searchParams.getAll('topic').map((text) => {
    const { topic, position } = splitTopic(text);
    const send = (event: TopicEvent, at?: number) =>
      void response.write(
        `event: topic\ndata: ${JSON.stringify({ type: 'topic', topic, ...(at !== undefined && { position: String(at) }), event })}\n\n`,
      );
    return startTopic(new URL(topic, 'http://mock'), {
      api,
      send,
      position: position === undefined ? undefined : Number(position),
    });
  });
  const beat = setInterval(() => response.write(': still here\n\n'), 15_000);
  response.on('close', () => {
    clearInterval(beat);
    for (const stop of stops) stop();
  });
}

interface Listener {
  api: MockApi;
  send: (event: TopicEvent, position?: number) => void;
  position: number | undefined;
}

function startTopic(topic: URL, listener: Listener): () => void {
  if (topic.pathname === '/events') return events(listener);
  const id = topic.pathname.split('/')[2] ?? '';
  return topic.pathname.endsWith('/metrics/stream') ? metrics(id, listener) : logs(id, topic.searchParams, listener);
}

function events({ api, send }: Listener): () => void {
  let position = Date.now();
  send({ type: 'snapshot', ...api.state() }, position);
  return api.subscribe((event) => send(event, ++position));
}

function metrics(
  id: string,
  { api, send, position = Math.floor(Date.now() / 10_000) * 10 - 10 }: Listener,
): () => void {
  let last = position;
  const tell = () => {
    const deployment = api.state().deployments.find((each) => each.id === id);
    const now = Math.floor(Date.now() / 10_000) * 10;
    for (; deployment && last < now; ) {
      last += 10;
      send({ type: 'point', point: mockPoint(deployment, last) }, last);
    }
  };
  tell();
  const timer = setInterval(tell, 1_000);
  return () => clearInterval(timer);
}

const TEXTS = [
  'listening on :8080',
  'GET / 200 3 ms',
  '{"level":"info","msg":"checkpoint complete","buffers":41}',
  'WARN slow query: 412 ms select * from entries order by created_at desc limit 20',
  'ERROR password authentication failed for user "shop"',
  'retrying in 2 s (3 of 10)',
  'DEBUG cache: 14 hits, 3 misses',
];
const EVERY_MS = 700;

/** Line `n` is written at `n * EVERY_MS`, so that whoever comes back reads the same again. */
function logs(id: string, query: URLSearchParams, { api, send, position }: Listener): () => void {
  const deployment = api.state().deployments.find((each) => each.id === id);
  const names = deployment?.services.map(({ name }) => name) ?? [];
  const wanted = query.get('service')?.split(',') ?? names;
  const least = (query.get('level') ?? 'debug') as LogLevel;
  if (query.get('previous') === 'true') {
    for (const service of wanted) send({ type: 'notice', service, message: `No container of ${service} ran before.` });
    send({ type: 'end', reason: 'complete' });
    return () => undefined;
  }
  const tail = Math.min(Number(query.get('tail') ?? MAX_TAIL), MAX_TAIL);
  let next = position === undefined ? Math.floor(Date.now() / EVERY_MS) - tail : position + 1;
  const tell = () => {
    for (; next <= Date.now() / EVERY_MS; next++) {
      const event = lineOf(next, names);
      if (wanted.includes(event.service) && isAtLeast(event.level, least)) send(event, next);
    }
  };
  tell();
  const timer = setInterval(tell, EVERY_MS);
  return () => clearInterval(timer);
}

function lineOf(number: number, names: readonly string[]): Extract<LogEvent, { type: 'line' }> {
  const service = names[((number * 7) % 11) % Math.max(names.length, 1)] ?? 'web';
  const text = TEXTS[((number * 13) % 17) % TEXTS.length] ?? '';
  const level = logLevelOf(text);
  const at = new Date(number * EVERY_MS).toISOString();
  return { type: 'line', at, service, pod: `${service}-6c9f7d-x2x9z`, ...(level && { level }), text };
}
