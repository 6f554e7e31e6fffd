import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../support/berth.ts';
import type { Sender } from './sender-process.ts';

/** The way of the deployment under load, by REST: made once, then changed again and again. */
export interface Rehearsal {
  api: Api;
  /** A phase for each update, while it goes on. */
  updates: number;
  /** Which of them cannot work. */
  brokenAt: number;
  /** Before the first and after the last update, and between two. */
  quietMs: { around: number; between: number };
}

export interface Api {
  send(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
}

interface Revision {
  revision: number;
  outcome: 'pending' | 'running' | 'failed' | 'replaced';
  message?: string;
  serving: boolean;
}

const NAME = 'load';
const UPDATE_WITHIN_MS = 120_000;
const READY_AFTER_MS = 1_500;

export async function makeDeployment(api: Api, template: string): Promise<string> {
  await api.send('POST', '/api/templates', { source: template });
  const made = await api.send('POST', '/api/deployments', { name: NAME, template: 'load', values: { version: 'v0' } });
  const id = String(made.id);
  await until('the deployment runs', UPDATE_WITHIN_MS, async () => {
    const { phase } = await api.send('GET', `/api/deployments/${id}`);
    return phase === 'Running';
  });
  return id;
}

/** Returns what did not come as it should; what became of the requests is the sender's to tell. */
export async function rehearse(rehearsal: Rehearsal, id: string, sender: Sender): Promise<string[]> {
  const { updates, brokenAt, quietMs } = rehearsal;
  const problems: string[] = [];
  await delay(quietMs.around);
  for (let count = 1; count <= updates; count++) {
    const broken = count === brokenAt;
    sender.phase(`update ${count}${broken ? ', crashes' : ''}`);
    const problem = await update(rehearsal, id, { count, broken });
    if (problem) problems.push(problem);
    await delay(quietMs.between);
  }
  sender.phase('after');
  await delay(quietMs.around);
  return problems;
}

async function update(
  { api }: Rehearsal,
  id: string,
  { count, broken }: { count: number; broken: boolean },
): Promise<string | undefined> {
  const values = { version: `v${count}`, readyAfterMs: String(READY_AFTER_MS), ...(broken && { broken: 'crash' }) };
  const changed = await api.send('PATCH', `/api/deployments/${id}`, { values });
  const wanted = Number(changed.revision);
  const find = async () => {
    const { items } = await api.send('GET', `/api/deployments/${id}/revisions`);
    return (items as Revision[]).find(({ revision }) => revision === wanted);
  };
  await until(`revision ${wanted} is known to run or to fail`, UPDATE_WITHIN_MS, async () => {
    const found = await find();
    return found?.outcome === 'running' || found?.outcome === 'failed';
  });
  const found = await find();
  if (!broken) return found?.outcome === 'running' ? undefined : `update ${count} was stopped: ${found?.message}`;
  if (found?.outcome !== 'failed') return `update ${count} crashes and is taken to run`;
  console.log(`  update ${count} stopped itself: ${found.message}`);
  return found.serving ? `update ${count} crashes and is said to serve` : undefined;
}
