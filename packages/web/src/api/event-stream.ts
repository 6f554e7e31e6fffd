import { eventStreamParser, type StreamMessage } from '@berth/core/event-stream';
import { isProblem, problemOf } from './problem.ts';

/**
 * A followed event stream over fetch: unlike EventSource it tells a refusal (401, 404) from a lost connection, sends
 * `Last-Event-ID` for a position that another tab reached, and notices a connection that died without a word.
 */
export interface EventStreamOptions {
  url: string;
  /** Where to go on; the stream keeps it up to date itself. */
  lastEventId?: string;
  onMessage: (message: StreamMessage) => void;
  onStatus: (status: 'connecting' | 'connected' | 'disconnected') => void;
  /** Any byte came, comments included. */
  onData?: () => void;
  /** Not going to get better by trying again: signed out, no right, gone. */
  onRefused: (error: Error) => void;
  fetch?: typeof fetch;
  random?: () => number;
  wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** The server sends a comment every 15 s; after three missed ones the connection is taken for dead. */
const SILENCE_MILLISECONDS = 45_000;
const FIRST_DELAY_MILLISECONDS = 500;
const LONGEST_DELAY_MILLISECONDS = 15_000;

/** How long to wait before attempt `attempt` (from 0): doubling, with up to half of it at random, so that tabs spread out. */
export function retryDelay(attempt: number, random: () => number): number {
  const full = Math.min(LONGEST_DELAY_MILLISECONDS, FIRST_DELAY_MILLISECONDS * 2 ** attempt);
  return full / 2 + (full / 2) * random();
}

/** Follows until the returned function is called. */
export function followEvents(options: EventStreamOptions): () => void {
  const { fetch: request = fetch, random = Math.random, wait = pause } = options;
  const stopped = new AbortController();
  let lastEventId = options.lastEventId;
  let attempt = 0;

  const readOnce = async (): Promise<void> => {
    const connection = new AbortController();
    const stop = () => connection.abort();
    stopped.signal.addEventListener('abort', stop);
    let silence = setTimeout(stop, SILENCE_MILLISECONDS);
    const heard = () => {
      clearTimeout(silence);
      silence = setTimeout(stop, SILENCE_MILLISECONDS);
      options.onData?.();
    };
    try {
      const headers = new Headers({ accept: 'text/event-stream' });
      if (lastEventId !== undefined) headers.set('last-event-id', lastEventId);
      const response = await request(options.url, { headers, signal: connection.signal, cache: 'no-store' });
      if (!response.ok || !response.body) throw await problemOf(response);
      attempt = 0;
      heard();
      options.onStatus('connected');
      const parse = eventStreamParser();
      const decoder = new TextDecoder();
      const reader = response.body.getReader();
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        heard();
        for (const message of parse(decoder.decode(part.value, { stream: true }))) {
          if (stopped.signal.aborted) return;
          lastEventId = message.id ?? lastEventId;
          options.onMessage(message);
        }
      }
    } finally {
      clearTimeout(silence);
      stopped.signal.removeEventListener('abort', stop);
      connection.abort();
    }
  };

  const run = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      options.onStatus('connecting');
      try {
        await readOnce();
      } catch (error) {
        if (stopped.signal.aborted) return;
        if (isProblem(error) && error.problem.status < 500 && error.code !== 'rate_limited') {
          options.onRefused(error);
          return;
        }
      }
      if (stopped.signal.aborted) return;
      options.onStatus('disconnected');
      await wait(retryDelay(attempt++, random), stopped.signal);
    }
  };

  void run();
  return () => stopped.abort();
}

/** Waits, but not longer than until the network is back or the tab is looked at again. */
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
