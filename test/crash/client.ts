import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Ledger } from './ledger.ts';

/** A client that keeps asking until it has an answer, with the same Idempotency-Key, as a careful one would. */
export interface Client {
  send(method: string, path: string, body?: unknown): Promise<Answer>;
  signIn(): Promise<void>;
}

export interface Answer {
  status: number;
  body: Record<string, unknown>;
  /** How many times nothing came back before this answer did. */
  unanswered: number;
}

const GIVE_UP_AFTER = 120_000;

export function createClient(url: string, ledger: Ledger): Client {
  let cookie = '';

  async function once(method: string, path: string, body: unknown, key: string): Promise<Response> {
    return await fetch(url + path, {
      method,
      headers: {
        cookie,
        'x-berth-request': '1',
        'idempotency-key': key,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(15_000),
    });
  }

  /** Undefined when nothing came back, or 5xx and 429, which say "not now" and promise nothing either way. */
  async function attempt(
    method: string,
    path: string,
    body: unknown,
    key: string,
  ): Promise<Omit<Answer, 'unanswered'> | undefined> {
    ledger.sent();
    let answered = false;
    try {
      const response = await once(method, path, body, key);
      const text = await response.text();
      answered = response.status < 500 && response.status !== 429;
      return answered ? { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : {} } : undefined;
    } catch {
      return undefined; // The connection broke: unanswered.
    } finally {
      ledger.settled(answered);
    }
  }

  return {
    async signIn() {
      const deadline = performance.now() + GIVE_UP_AFTER;
      for (;;) {
        const response = await once('POST', '/api/login/dev', undefined, randomUUID()).catch(() => undefined);
        if (response?.ok) {
          cookie = (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
          return;
        }
        if (performance.now() > deadline)
          throw new Error(`cannot sign in: ${response?.status} ${await response?.text()}`);
        await delay(100);
      }
    },
    async send(method, path, body) {
      const key = randomUUID();
      const deadline = performance.now() + GIVE_UP_AFTER;
      for (let unanswered = 0; ; unanswered++) {
        const answer = await attempt(method, path, body, key);
        if (answer) return { ...answer, unanswered };
        if (performance.now() > deadline) throw new Error(`no answer to ${method} ${path}`);
        await delay(50);
      }
    },
  };
}
