import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { TEST_HOST } from '../../testing/app.ts';
import type { TestTenant } from '../../testing/tenants.ts';

export interface Message<E> {
  id: number | undefined;
  /** As it was sent. */
  position: string | undefined;
  event: E;
}

/** One connection to an event stream over a real socket. */
export interface SseClient<E> {
  status: number;
  messages: Message<E>[];
  comments: number;
  /** Resolves with the first message, old or new, that fits. */
  next(fits: (event: E) => boolean): Promise<Message<E>>;
  /** Resolves when the server has closed the stream. */
  ended: Promise<void>;
  /** Vanishes. */
  drop(): void;
}

export interface SseOptions {
  path: string;
  who: TestTenant;
  lastEventId?: number | string | undefined;
}

export async function listenForTests(app: FastifyInstance): Promise<number> {
  await app.listen({ port: 0, host: '127.0.0.1' });
  return (app.server.address() as AddressInfo).port;
}

export async function openEvents<E extends { type: string }>(port: number, options: SseOptions): Promise<SseClient<E>> {
  const headers: Record<string, string> = { host: TEST_HOST, cookie: `berth_login=${options.who.cookie}` };
  if (options.lastEventId !== undefined) headers['last-event-id'] = String(options.lastEventId);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', path: options.path, headers, agent: false }, resolve);
    sent.on('error', reject);
    sent.end();
  });
  const messages: Message<E>[] = [];
  const waiting = new Set<() => void>();
  let rest = '';
  let comments = 0;
  const tell = () => {
    for (const look of [...waiting]) look();
  };
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      if (part.startsWith(':')) comments += 1;
      else messages.push(parse(part));
    }
    tell();
  });
  const ended = new Promise<void>((resolve) => {
    response.on('close', () => {
      resolve();
      tell();
    });
    response.on('error', () => resolve());
  });
  return {
    status: response.statusCode ?? 0,
    messages,
    get comments() {
      return comments;
    },
    ended,
    next(fits) {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => finish(new Error(`no such event among ${JSON.stringify(messages)}`)), 20_000);
        const finish = (error?: Error, found?: Message<E>) => {
          clearTimeout(timer);
          waiting.delete(look);
          if (found) resolve(found);
          else reject(error ?? new Error('the stream ended'));
        };
        const look = () => {
          const found = messages.find(({ event }) => fits(event));
          if (found) finish(undefined, found);
          else if (response.destroyed) finish();
        };
        waiting.add(look);
        look();
      });
    },
    drop: () => response.destroy(),
  };
}

function parse<E>(text: string): Message<E> {
  const fields = new Map(
    text.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  const event = JSON.parse(fields.get('data') ?? '') as E & { type: string };
  if (event.type !== fields.get('event')) throw new Error(`the event's name is not its type: ${text}`);
  const id = fields.get('id');
  return { id: id === undefined ? undefined : Number(id), position: id, event };
}
