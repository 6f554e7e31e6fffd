import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../support/berth.ts';
import type { RestApi } from '../support/rest-api.ts';
import type { Sender } from './sender-process.ts';

/** The way of the deployment under load, by REST: made once, then changed again and again. */
export interface Rehearsal {
  api: RestApi;
  /** A phase for each update, while it goes on. */
  updates: number;
  /** Which of them cannot work. */
  brokenAt: number;
  /** Before the first and after the last update, and between two. */
  quietMs: { around: number; between: number };
}

interface Revision {
  revision: number;
  outcome: 'pending' | 'running' | 'failed' | 'replaced';
  message?: string;
  serving: boolean;
}

export const NAME = 'load';
const UPDATE_WITHIN_MS = 120_000;
const READY_AFTER_MS = 1_500;

export async function makeDeployment(api: RestApi, template: string): Promise<string> {
  await api.send('POST', '/api/templates', { source: template });
  const wanted = { name: NAME, template: 'load', values: { version: 'v0' } };
  const { id } = await api.send<{ id: string }>('POST', '/api/deployments', wanted);
  await api.running(id, UPDATE_WITHIN_MS);
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
  const { revision: wanted } = await api.send<Revision>('PATCH', `/api/deployments/${id}`, { values });
  const find = async () => {
    const { items } = await api.send<{ items: Revision[] }>('GET', `/api/deployments/${id}/revisions`);
    return items.find(({ revision }) => revision === wanted);
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
