import { get, type IncomingMessage, request } from 'node:http';
import type { Client } from './client.ts';
import type { Expected, Ledger } from './ledger.ts';
import type { Random } from './random.ts';

/** One user who makes, changes, stops, starts and deletes deployments of their own, and writes into guestbooks. */
export interface WorkerOptions {
  name: string;
  client: Client;
  ledger: Ledger;
  random: Random;
  port: number;
  stopped: () => boolean;
}

const KEPT = 4;

export async function work(options: WorkerOptions): Promise<void> {
  const { ledger, random, stopped } = options;
  let made = 0;
  const ids = new Map<string, string>();
  while (!stopped()) {
    const mine = [...ids.keys()].flatMap((name) => ledger.deployments.get(name) ?? []);
    if (mine.length < KEPT && (mine.length === 0 || random.next() < 0.4)) {
      await create(options, `${options.name}-${made++}`, ids);
    } else {
      await change(options, random.pick(mine), ids);
    }
  }
}

async function create(options: WorkerOptions, name: string, ids: Map<string, string>): Promise<void> {
  const { client, ledger, random } = options;
  const template = random.next() < 0.15 ? 'guestbook' : 'whoami';
  const greeting = `g${random.below(1e6)}`;
  const values = template === 'whoami' ? { greeting } : { title: greeting };
  const answer = await client.send('POST', '/api/deployments', { name, template, values });
  if (answer.status !== 201) throw new Error(`create ${name}: ${answer.status} ${JSON.stringify(answer.body)}`);
  ids.set(name, String(answer.body.id));
  ledger.deployments.set(name, { name, template, greeting, desired: 'running', entries: [] });
}

async function change(options: WorkerOptions, expected: Expected, ids: Map<string, string>): Promise<void> {
  const { client, ledger, random } = options;
  const path = `/api/deployments/${ids.get(expected.name)}`;
  const ok = (answer: { status: number; body: unknown }, what: string) => {
    if (answer.status >= 300)
      throw new Error(`${what} ${expected.name}: ${answer.status} ${JSON.stringify(answer.body)}`);
  };
  const dice = random.next();
  if (dice < 0.3) {
    const greeting = `g${random.below(1e6)}`;
    const values = expected.template === 'whoami' ? { greeting } : { title: greeting };
    ok(await client.send('PATCH', path, { values }), 'update');
    expected.greeting = greeting;
  } else if (dice < 0.45) {
    ok(await client.send('POST', `${path}/stop`), 'stop');
    expected.desired = 'stopped';
  } else if (dice < 0.65) {
    ok(await client.send('POST', `${path}/start`), 'start');
    expected.desired = 'running';
  } else if (dice < 0.75 && expected.desired === 'running') {
    ok(await client.send('POST', `${path}/restart`), 'restart');
  } else if (dice < 0.85 && expected.template === 'guestbook') {
    const entry = `e${random.below(1e9)}`;
    if (await sign(expected.name, options.port, entry)) expected.entries.push(entry);
  } else {
    const answer = await client.send('DELETE', path);
    // Gone already: an earlier attempt did it and its answer was lost.
    if (!(answer.status === 404 && answer.unanswered > 0)) ok(answer, 'delete');
    ids.delete(expected.name);
    ledger.deployments.delete(expected.name);
  }
}

export async function startAll(client: Client, ledger: Ledger): Promise<void> {
  const { body } = await client.send('GET', '/api/deployments?limit=500');
  for (const { id, name } of body.items as { id: string; name: string }[]) {
    const expected = ledger.deployments.get(name);
    if (expected?.desired !== 'stopped') continue;
    await client.send('POST', `/api/deployments/${id}/start`);
    expected.desired = 'running';
  }
}

/** Asks an app by its public host. Names under localhost do not resolve everywhere, so the address is given. */
export function ask(name: string, port: number, path: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    get(
      {
        host: '127.0.0.1',
        port,
        path,
        headers: { host: `${name}.localhost:${port}`, accept: 'application/json' },
        timeout: 5_000,
      },
      (response) => resolve(read(response)),
    ).on('error', reject);
  });
}

/** True once the guestbook acknowledged the entry. */
async function sign(name: string, port: number, text: string): Promise<boolean> {
  try {
    const answer = await new Promise<{ status: number; body: string }>((resolve, reject) => {
      const post = request(
        {
          host: '127.0.0.1',
          port,
          path: '/entries',
          method: 'POST',
          timeout: 5_000,
          headers: {
            host: `${name}.localhost:${port}`,
            'content-type': 'application/json',
            accept: 'application/json',
          },
        },
        (response) => resolve(read(response)),
      );
      post.on('error', reject).on('timeout', () => post.destroy(new Error('timeout')));
      post.end(JSON.stringify({ name: 'crash test', message: text }));
    });
    return answer.status === 200 || answer.status === 201;
  } catch {
    return false; // Not acknowledged: it may or may not be there.
  }
}

async function read(response: IncomingMessage): Promise<{ status: number; body: string }> {
  let body = '';
  for await (const chunk of response) body += chunk;
  return { status: response.statusCode ?? 0, body };
}
