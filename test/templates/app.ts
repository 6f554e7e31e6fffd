import { setTimeout as delay } from 'node:timers/promises';
import type { ExpectStatic } from 'vitest';
import { WebSocket } from 'ws';
import { type Asking, type Reply, visit } from '../support/visit.ts';

/** A deployed app as its visitors see it: by its public address. */
export interface App {
  ask(path: string, asking?: Asking): Promise<Reply>;
  /** Asks until the answer is the wanted one: a new pod, a job that runs by the clock. */
  askUntil(path: string, wanted: (reply: Reply) => boolean, asking?: Asking & { withinMs?: number }): Promise<Reply>;
  webSocket(path: string, headers?: Record<string, string>): Promise<WebSocket>;
  /** That of the test which uses the app: tests run side by side, and each counts what it makes sure of. */
  expect: ExpectStatic;
}

const PATIENCE_MS = 30_000;

/** `url` has no path. */
export function appAt(url: string, expect: ExpectStatic): App {
  const ask = (path: string, asking?: Asking) => visit(new URL(url).origin + path, asking);
  return {
    ask,
    expect,
    async askUntil(path, wanted, { withinMs = PATIENCE_MS, ...asking } = {}) {
      const deadline = performance.now() + withinMs;
      for (;;) {
        const reply = await ask(path, asking);
        if (wanted(reply)) return reply;
        if (performance.now() > deadline)
          throw new Error(`${url}${path} kept answering ${reply.status}: ${reply.text.slice(0, 300)}`);
        await delay(200);
      }
    },
    async webSocket(path, headers = {}) {
      const { origin } = new URL(url);
      const socket = new WebSocket(origin.replace(/^http/, 'ws') + path, { headers: { origin, ...headers } });
      await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
      return socket;
    },
  };
}
