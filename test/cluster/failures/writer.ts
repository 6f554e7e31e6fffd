import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * One user who makes, changes and removes deployments of their own, one request after the other, and remembers only what was acknowledged. A
 * request without an answer is sent again with the same Idempotency-Key, as a careful client does.
 */
export interface Writer {
  /** By name: what was acknowledged last. Not in it while a request about it is on its way. */
  readonly settled: Map<string, Acknowledged>;
  /** Of answers, for the time that it took until one came again. */
  readonly answeredAt: number[];
  readonly problems: string[];
  stop(): Promise<void>;
}

export interface Acknowledged {
  id: string;
  greeting: string;
  revision: number;
  created: number;
}

export interface WriterOptions {
  name: string;
  url: string;
  headers: Readonly<Record<string, string>>;
}

const KEPT = 2;
const BETWEEN_MS = 400;
const GIVE_UP_AFTER_MS = 240_000;

export function startWriter(options: WriterOptions): Writer {
  const settled = new Map<string, Acknowledged>();
  const answeredAt: number[] = [];
  const problems: string[] = [];
  let going = true;
  let made = 0;

  const send = async (method: string, path: string, body?: unknown) => {
    const answer = await persist(options, { method, path, body, key: randomUUID() });
    answeredAt.push(performance.now());
    return answer;
  };

  async function step(turn: number): Promise<void> {
    const greeting = `${options.name} ${turn}`;
    const [oldest] = settled;
    if (oldest && settled.size >= KEPT && turn % 6 === 5) return remove(...oldest);
    if (!oldest || settled.size < KEPT) return create(greeting);
    const [name, known] = oldest;
    settled.delete(name);
    const { body } = await send('PATCH', `/api/deployments/${known.id}`, { values: { greeting } });
    // Last in the order, so that each has its turn.
    settled.set(name, { ...known, greeting, revision: Number(body.revision) });
  }

  async function create(greeting: string): Promise<void> {
    const name = `${options.name}-${made++}`;
    const { body } = await send('POST', '/api/deployments', { name, template: 'whoami', values: { greeting } });
    settled.set(name, { id: String(body.id), greeting, revision: Number(body.revision), created: performance.now() });
  }

  async function remove(name: string, { id }: Acknowledged): Promise<void> {
    settled.delete(name);
    await send('DELETE', `/api/deployments/${id}`);
  }

  const done = (async () => {
    for (let turn = 0; going; turn++) {
      await step(turn);
      await delay(BETWEEN_MS);
    }
  })().catch((error: Error) => {
    problems.push(`${options.name}: ${error.message}`);
  });
  return {
    settled,
    answeredAt,
    problems,
    async stop() {
      going = false;
      await done;
    },
  };
}

interface Asked {
  method: string;
  path: string;
  body?: unknown;
  key: string;
}

/** 5xx and 429 say "not now"; what is refused for any other reason is a fault of the test or of the platform. */
async function persist(
  { url, headers }: WriterOptions,
  { method, path, body, key }: Asked,
): Promise<{ body: Record<string, unknown> }> {
  const deadline = performance.now() + GIVE_UP_AFTER_MS;
  for (let attempt = 0; ; attempt++) {
    const response = await fetch(url + path, {
      method,
      headers: { ...headers, 'x-berth-request': '1', 'idempotency-key': key, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(15_000),
    }).catch(() => undefined);
    const text = await response?.text().catch(() => undefined);
    // The ingress controller answers 404 for a host while it knows of no server behind it.
    const answered =
      response && text !== undefined && response.status < 500 && response.status !== 429 && isBerths(response);
    if (answered && response.ok) return { body: text.startsWith('{') ? JSON.parse(text) : {} };
    const wasDone = method === 'DELETE' && response?.status === 404 && attempt > 0;
    if (answered && wasDone) return { body: {} };
    if (answered) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    if (performance.now() > deadline) throw new Error(`${method} ${path}: no answer`);
    await delay(200);
  }
}

function isBerths(response: Response): boolean {
  return response.status === 204 || (response.headers.get('content-type') ?? '').includes('json');
}
