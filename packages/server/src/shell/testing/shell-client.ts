import { CHANNELS, FORWARD_PROTOCOL, SHELL_PROTOCOL } from '@berth/core/shell';
import { until } from '@berth/kube/client/testing/until';
import { WebSocket } from 'ws';
import { TEST_HOST } from '../../testing/app.ts';
import type { TestTenant } from '../../testing/tenants.ts';

/** One side of a socket over a real connection, as a page or a program has it. */
export interface TestSocket {
  socket: WebSocket;
  /** What came, by channel; `text` of a forwarded port. */
  output(): string;
  messages: Buffer[];
  say(text: string): void;
  /** Resolves when that stands in the output. */
  hears(text: string): Promise<void>;
  closed: Promise<{ code: number; reason: string }>;
}

export interface OpenOptions {
  port: number;
  path: string;
  who: TestTenant;
  /** In place of a page's own. */
  headers?: Record<string, string>;
  /** In place of the right one. */
  protocols?: string[];
}

/** Rejects with the answer when there is none. */
export async function openTestSocket({ port, path, who, headers, protocols }: OpenOptions): Promise<TestSocket> {
  const shell = !path.includes('/port-forward');
  const socket = new WebSocket(
    `ws://127.0.0.1:${port}${path}`,
    protocols ?? [shell ? SHELL_PROTOCOL : FORWARD_PROTOCOL],
    {
      headers: {
        host: TEST_HOST,
        ...(headers ?? { origin: `http://${TEST_HOST}`, cookie: `berth_login=${who.cookie}` }),
      },
    },
  );
  const messages: Buffer[] = [];
  socket.on('message', (data: Buffer) => messages.push(data));
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  const outputs = shell ? [CHANNELS.stdout, CHANNELS.stderr] : undefined;
  const output = () =>
    messages
      .filter((message) => !outputs || outputs.includes(message[0] as never))
      .map((message) => message.subarray(outputs ? 1 : 0).toString())
      .join('');
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
    socket.once('unexpected-response', (_request, response) => {
      let body = '';
      response.on('data', (part: Buffer) => {
        body += part.toString();
      });
      response.on('end', () => reject(new Refusal(response.statusCode ?? 0, JSON.parse(body) as Refusal['problem'])));
    });
  });
  return {
    socket,
    messages,
    output,
    closed,
    say: (text) => socket.send(shell ? Buffer.concat([Buffer.from([CHANNELS.stdin]), Buffer.from(text)]) : text),
    hears: (text) => until(() => output().includes(text)),
  };
}

export class Refusal extends Error {
  readonly status: number;
  readonly problem: { code: string; detail: string };

  constructor(status: number, problem: { code: string; detail: string }) {
    super(`refused with ${status}: ${problem.detail}`);
    this.status = status;
    this.problem = problem;
  }
}
