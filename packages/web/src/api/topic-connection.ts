import { eventStreamParser } from '@berth/core/event-stream';
import type { MultiplexEvent } from '@berth/core/stream-topic';

/**
 * One connection for several topics (`GET /api/live`), held over fetch: unlike EventSource it tells a refusal (401) from a lost
 * connection, chooses where to go on each time that it opens, and notices a connection that died without a word.
 */
export interface TopicConnection {
  /** The topics have changed: opens anew, without waiting. What has not been taken yet comes again. */
  reopen(): void;
  /** Worth a try now, should it be waiting for the next one. */
  wake(): void;
  close(): void;
}

export type ConnectionState = 'connecting' | 'connected' | 'disconnected';

export interface TopicConnectionOptions {
  /** Where to connect now. */
  url: () => string;
  /** What one piece of the stream held, in order. */
  onEvents: (events: MultiplexEvent[]) => void;
  onState: (state: ConnectionState) => void;
  /** Any byte came, comments included. */
  onData: () => void;
  /** Not going to get better by trying again. */
  onRefused: (refusal: Refusal) => void;
  fetch?: typeof fetch;
  random?: () => number;
  wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** An answer that is no stream. Read by hand: the worker that this runs in starts sooner without the schemas of all problems. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  /** Whether it may be otherwise soon; so is whatever something between us and the server says. */
  readonly passes: boolean;
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, problem: { code?: unknown; detail?: unknown }, retryAfterSeconds?: number) {
    super(typeof problem.detail === 'string' ? problem.detail : `The server answered ${status}.`);
    this.name = 'Refusal';
    this.status = status;
    this.code = typeof problem.code === 'string' ? problem.code : 'internal';
    this.passes =
      status >= 500 || status === TOO_MANY_REQUESTS || (typeof problem.code !== 'string' && status !== UNAUTHENTICATED);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

const UNAUTHENTICATED = 401;
const TOO_MANY_REQUESTS = 429;
/** The server sends a comment every 15 s; after three missed ones the connection is taken for dead. */
const SILENCE_MILLISECONDS = 45_000;
const FIRST_DELAY_MILLISECONDS = 500;
const LONGEST_DELAY_MILLISECONDS = 15_000;
const LONGEST_RETRY_AFTER_SECONDS = 30;
/** Whoever was told the same second does not come in the same moment. */
const SPREAD_MILLISECONDS = 1_000;

/** How long to wait before attempt `attempt` (from 0): doubling, with up to half of it at random, so that browsers spread out. */
export function retryDelay(attempt: number, random: () => number): number {
  const full = Math.min(LONGEST_DELAY_MILLISECONDS, FIRST_DELAY_MILLISECONDS * 2 ** attempt);
  return full / 2 + (full / 2) * random();
}

/** The server's own word on it, before ours: one that stops says when, one that is not ready says how long. */
function pauseAfter(outcome: Outcome, attempt: number, random: () => number): number {
  if ('retry' in outcome && outcome.retry !== undefined) return outcome.retry;
  const seconds = outcome instanceof Refusal ? outcome.retryAfterSeconds : undefined;
  if (seconds === undefined) return retryDelay(attempt, random);
  return Math.min(seconds, LONGEST_RETRY_AFTER_SECONDS) * 1000 + SPREAD_MILLISECONDS * random();
}

export function connectTopics(options: TopicConnectionOptions): TopicConnection {
  const { random = Math.random, wait = pause } = options;
  let closed = false;
  let reopening = false;
  let attempt = 0;
  let round = new AbortController();
  let waiting = new AbortController();

  async function run(): Promise<void> {
    options.onState('connecting');
    while (!closed) {
      round = new AbortController();
      reopening = false;
      const outcome = await readOnce(options, round.signal, () => {
        attempt = 0;
      }).catch((thrown: Error) => thrown);
      if (closed) return;
      if (reopening) continue;
      if (outcome instanceof Refusal && !outcome.passes) {
        options.onRefused(outcome);
        return;
      }
      // A server that stops sends us to the next: that is no loss.
      options.onState('retry' in outcome && outcome.retry !== undefined ? 'connecting' : 'disconnected');
      waiting = new AbortController();
      await wait(pauseAfter(outcome, attempt++, random), waiting.signal);
      if (!closed) options.onState('connecting');
    }
  }

  void run();
  return {
    reopen() {
      reopening = true;
      round.abort();
      waiting.abort();
    },
    wake: () => waiting.abort(),
    close() {
      closed = true;
      round.abort();
      waiting.abort();
    },
  };
}

interface StreamEnd {
  /** When to come back, should the server have said so with its last word. */
  retry: number | undefined;
}
type Outcome = StreamEnd | Error;

/** Resolves when the stream ends, rejects when it breaks or is refused. */
async function readOnce(options: TopicConnectionOptions, signal: AbortSignal, onOpen: () => void): Promise<StreamEnd> {
  const { fetch: request = fetch, onEvents, onData, onState } = options;
  const connection = new AbortController();
  const stop = () => connection.abort();
  signal.addEventListener('abort', stop);
  let silence = setTimeout(stop, SILENCE_MILLISECONDS);
  const heard = () => {
    clearTimeout(silence);
    silence = setTimeout(stop, SILENCE_MILLISECONDS);
    onData();
  };
  try {
    const headers = { accept: 'text/event-stream' };
    const response = await request(options.url(), { headers, signal: connection.signal, cache: 'no-store' });
    if (!response.ok || !response.body) throw await refusalOf(response);
    onOpen();
    heard();
    onState('connected');
    const parse = eventStreamParser();
    const decoder = new TextDecoder();
    const reader = response.body.getReader();
    let retry: number | undefined;
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      // What came before the stop but was not looked at is asked for again.
      if (signal.aborted) break;
      heard();
      const messages = parse(decoder.decode(part.value, { stream: true }));
      const events = messages.map(({ data }) => JSON.parse(data) as MultiplexEvent);
      if (messages.length > 0) retry = messages.at(-1)?.retry;
      if (events.length > 0) onEvents(events);
    }
    return { retry };
  } finally {
    clearTimeout(silence);
    signal.removeEventListener('abort', stop);
    connection.abort();
  }
}

async function refusalOf(response: Response): Promise<Refusal> {
  const problem = await response.json().catch(() => undefined); // Something in between answered.
  const after = response.headers.get('retry-after');
  return new Refusal(
    response.status,
    (problem ?? {}) as object,
    after !== null && /^\d+$/.test(after) ? Number(after) : undefined,
  );
}

/** Waits, but not longer than until the network is back. */
function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      globalThis.removeEventListener?.('online', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener('abort', done);
    globalThis.addEventListener?.('online', done);
  });
}
