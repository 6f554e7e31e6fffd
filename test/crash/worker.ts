import { ask } from '../support/ask.ts';
import type { Answer, Client } from './client.ts';
import type { Expected, Ledger } from './ledger.ts';
import type { Random } from './random.ts';
import { GOOD_IMAGE, MISSING_IMAGE } from './templates.ts';

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
const MOST_PODS = 3;

export async function work(options: WorkerOptions): Promise<void> {
  const { ledger, random, stopped } = options;
  let made = 0;
  const newName = () => `${options.name}-${made++}`;
  const ids = new Map<string, string>();
  while (!stopped()) {
    const mine = [...ids.keys()].flatMap((name) => ledger.deployments.get(name) ?? []);
    if (mine.length < KEPT && (mine.length === 0 || random.next() < 0.4)) {
      const source = mine.length > 0 && random.next() < 0.2 ? random.pick(mine) : undefined;
      if (source && source.served === undefined) await clone(options, { source, name: newName() }, ids);
      else await create(options, newName(), ids);
    } else {
      await change({ ...options, ids, expected: random.pick(mine) });
    }
  }
}

async function create(options: WorkerOptions, name: string, ids: Map<string, string>): Promise<void> {
  const { client, ledger, random } = options;
  const dice = random.next();
  const template = dice < 0.15 ? 'guestbook' : dice < 0.4 ? 'breakable' : 'whoami';
  const greeting = `g${random.below(1e6)}`;
  const values = valuesOf(template, greeting);
  const answer = await client.send('POST', '/api/deployments', { name, template, values });
  if (answer.status !== 201) throw new Error(`create ${name}: ${answer.status} ${JSON.stringify(answer.body)}`);
  ids.set(name, String(answer.body.id));
  remember(ledger, { name, template, greeting, replicas: 1 }, answer);
}

async function clone(
  { client, ledger }: WorkerOptions,
  { source, name }: { source: Expected; name: string },
  ids: Map<string, string>,
): Promise<void> {
  const answer = await client.send('POST', `/api/deployments/${ids.get(source.name)}/clone`, { name });
  if (answer.status !== 201) throw new Error(`clone ${source.name}: ${answer.status} ${JSON.stringify(answer.body)}`);
  ids.set(name, String(answer.body.id));
  const { template, greeting, replicas } = source;
  remember(ledger, { name, template, greeting, replicas }, answer);
}

function remember(
  ledger: Ledger,
  made: Pick<Expected, 'name' | 'template' | 'greeting' | 'replicas'>,
  answer: Answer,
): void {
  const expected: Expected = { ...made, desired: 'running', paused: false, revisions: new Map(), entries: [] };
  ledger.deployments.set(made.name, expected);
  note(expected, answer);
}

/** What this revision is, for going back to it; a broken one is nothing to go back to. */
function note(expected: Expected, { body }: Answer): void {
  const { greeting, replicas } = expected;
  if (expected.served === undefined) expected.revisions.set(Number(body.revision), { greeting, replicas });
}

function valuesOf(template: Expected['template'], greeting: string, image = GOOD_IMAGE): Record<string, string> {
  if (template === 'guestbook') return { title: greeting };
  return template === 'whoami' ? { greeting } : { greeting, image };
}

interface Change extends WorkerOptions {
  expected: Expected;
  ids: Map<string, string>;
}

/** One change; which are possible depends on the state that the user knows of. */
async function change(options: Change): Promise<void> {
  const { expected, random } = options;
  const broken = expected.served !== undefined;
  const running = expected.desired === 'running';
  const possible: [weight: number, (options: Change) => Promise<void>][] = [
    [25, update],
    [10, running ? stop : start],
    [4, running ? restart : start],
    [8, expected.paused ? resume : pause],
    [10, rollBack],
    [8, remove],
  ];
  if (!broken && expected.template !== 'guestbook') possible.push([12, scale]);
  if (!broken && running && !expected.paused && expected.template === 'breakable') possible.push([25, spoil]);
  if (!broken && running && expected.template === 'guestbook') possible.push([25, write]);
  let dice = random.below(possible.reduce((sum, [weight]) => sum + weight, 0));
  for (const [weight, act] of possible) {
    if (dice < weight) return act(options);
    dice -= weight;
  }
}

async function send({ client, expected, ids }: Change, method: string, path: string, body?: unknown): Promise<Answer> {
  const answer = await client.send(method, `/api/deployments/${ids.get(expected.name)}${path}`, body);
  // Gone already: an earlier attempt did it and its answer was lost.
  const gone = method === 'DELETE' && answer.status === 404 && answer.unanswered > 0;
  if (answer.status >= 300 && !gone) {
    throw new Error(`${method} ${path} of ${expected.name}: ${answer.status} ${JSON.stringify(answer.body)}`);
  }
  return answer;
}

async function update(options: Change): Promise<void> {
  const { expected, random } = options;
  const greeting = `g${random.below(1e6)}`;
  const answer = await send(options, 'PATCH', '', { values: valuesOf(expected.template, greeting) });
  expected.greeting = greeting;
  expected.served = undefined;
  note(expected, answer);
}

async function stop(options: Change): Promise<void> {
  const answer = await send(options, 'POST', '/stop');
  options.expected.desired = 'stopped';
  note(options.expected, answer);
}

async function start(options: Change): Promise<void> {
  const answer = await send(options, 'POST', '/start');
  options.expected.desired = 'running';
  note(options.expected, answer);
}

async function restart(options: Change): Promise<void> {
  const service = options.random.next() < 0.5 ? { service: 'web' } : {};
  note(options.expected, await send(options, 'POST', '/restart', service));
}

async function pause(options: Change): Promise<void> {
  const answer = await send(options, 'POST', '/pause');
  options.expected.paused = true;
  note(options.expected, answer);
}

async function resume(options: Change): Promise<void> {
  const answer = await send(options, 'POST', '/resume');
  options.expected.paused = false;
  note(options.expected, answer);
}

async function scale(options: Change): Promise<void> {
  const { expected, random } = options;
  const replicas = 1 + random.below(MOST_PODS);
  const answer = await send(options, 'POST', '/scale', { service: 'web', replicas });
  expected.replicas = replicas;
  note(expected, answer);
}

async function rollBack(options: Change): Promise<void> {
  const { expected, random } = options;
  const known = [...expected.revisions.keys()].sort((a, b) => a - b);
  // The newest is what is wanted, unless a broken one came after it.
  const targets = expected.served === undefined ? known.slice(0, -1) : known;
  if (targets.length === 0) return update(options);
  const revision = random.pick(targets);
  const answer = await send(options, 'POST', '/rollback', { revision });
  Object.assign(expected, expected.revisions.get(revision), { served: undefined });
  note(expected, answer);
}

/** A version that cannot run, once what is wanted runs: from then on that must serve. */
async function spoil(options: Change): Promise<void> {
  const { client, expected, ids, random } = options;
  const { body } = await client.send('GET', `/api/deployments/${ids.get(expected.name)}`);
  const state = (body.update as { state?: string } | undefined)?.state;
  if (body.phase !== 'Running' || state !== 'complete') return;
  const greeting = `g${random.below(1e6)}`;
  const served = expected.greeting;
  await send(options, 'PATCH', '', { values: valuesOf(expected.template, greeting, MISSING_IMAGE) });
  Object.assign(expected, { greeting, served });
}

async function write({ expected, random, port }: Change): Promise<void> {
  const entry = `e${random.below(1e9)}`;
  if (await sign(expected.name, port, entry)) expected.entries.push(entry);
}

async function remove(options: Change): Promise<void> {
  await send(options, 'DELETE', '');
  options.ids.delete(options.expected.name);
  options.ledger.deployments.delete(options.expected.name);
}

/** What is paused shows an older version than what was asked for. */
export async function resumeAll(client: Client, ledger: Ledger): Promise<void> {
  const { body } = await client.send('GET', '/api/deployments?limit=500');
  for (const { id, name } of body.items as { id: string; name: string }[]) {
    const expected = ledger.deployments.get(name);
    if (!expected?.paused) continue;
    await client.send('POST', `/api/deployments/${id}/resume`);
    expected.paused = false;
  }
}

export async function startAll(client: Client, ledger: Ledger): Promise<void> {
  const { body } = await client.send('GET', '/api/deployments?limit=500');
  for (const { id, name } of body.items as { id: string; name: string }[]) {
    const expected = ledger.deployments.get(name);
    if (expected?.desired === 'stopped') await client.send('POST', `/api/deployments/${id}/start`);
    if (expected) expected.desired = 'running';
  }
}

/** True once the guestbook acknowledged the entry. */
async function sign(name: string, port: number, text: string): Promise<boolean> {
  const body = { name: 'crash test', message: text };
  const answer = await ask(name, port, { method: 'POST', path: '/entries', body }).catch(() => undefined);
  // Without an answer it may or may not be there.
  return answer?.status === 200 || answer?.status === 201;
}
