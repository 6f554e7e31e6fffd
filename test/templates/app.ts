import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';

/** A deployed app as its visitors see it: by its public host, through the router. */
export interface App {
  host: string;
  port: number;
  ask(path: string, asking?: Asking): Promise<Reply>;
  /** Asks until the answer is the wanted one: a new pod, a job that runs by the clock. */
  askUntil(path: string, wanted: (reply: Reply) => boolean, asking?: Asking & { withinMs?: number }): Promise<Reply>;
  webSocket(path: string, headers?: Record<string, string>): Promise<WebSocket>;
}

export interface Asking {
  method?: string;
  /** Sent as JSON; a text as a form. */
  body?: unknown;
  headers?: Record<string, string>;
  /** Sent as Basic. */
  password?: string;
}

export interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  json<T = Record<string, unknown>>(): T;
}

const PATIENCE_MS = 30_000;

export function appAt(host: string, port: number): App {
  const ask = (path: string, asking: Asking = {}): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const { method = 'GET', body, password } = asking;
      const isForm = typeof body === 'string';
      const sent = body === undefined ? undefined : isForm ? body : JSON.stringify(body);
      const headers = {
        host: `${host}:${port}`,
        ...(sent !== undefined && {
          'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
          'content-length': String(Buffer.byteLength(sent)),
        }),
        ...(password !== undefined && { authorization: `Basic ${Buffer.from(`x:${password}`).toString('base64')}` }),
        ...asking.headers,
      };
      // Not every resolver knows the names below localhost: the loopback address is given instead.
      const going = request({ host: '127.0.0.1', port, path, method, headers, timeout: 15_000 }, async (response) => {
        try {
          let text = '';
          for await (const chunk of response) text += chunk;
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: () => JSON.parse(text) });
        } catch (error) {
          reject(error);
        }
      });
      going.on('error', reject).on('timeout', () => going.destroy(new Error(`no answer from ${host}${path}`)));
      going.end(sent);
    });

  return {
    host,
    port,
    ask,
    async askUntil(path, wanted, { withinMs = PATIENCE_MS, ...asking } = {}) {
      const deadline = performance.now() + withinMs;
      for (;;) {
        const reply = await ask(path, asking);
        if (wanted(reply)) return reply;
        if (performance.now() > deadline)
          throw new Error(`${host}${path} kept answering ${reply.status}: ${reply.text.slice(0, 300)}`);
        await delay(200);
      }
    },
    async webSocket(path, headers = {}) {
      const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, {
        headers: { host: `${host}:${port}`, origin: `http://${host}:${port}`, ...headers },
      });
      await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
      return socket;
    },
  };
}
