import { ask } from '../support/ask.ts';
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

/** True once the guestbook acknowledged the entry. */
async function sign(name: string, port: number, text: string): Promise<boolean> {
  const body = { name: 'crash test', message: text };
  const answer = await ask(name, port, { method: 'POST', path: '/entries', body }).catch(() => undefined);
  // Without an answer it may or may not be there.
  return answer?.status === 200 || answer?.status === 201;
}
