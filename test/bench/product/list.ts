import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { type Row, rateRow } from './row.ts';
import type { Session } from './session.ts';

const SECONDS = 8;
const CONNECTIONS = 10;

/** The list of 100 deployments, with a token, beside a fastify route that does nothing but send the same bytes. Both without the router. */
export async function measureList(session: Session, data: string): Promise<Row> {
  const { server } = JSON.parse(readFileSync(join(data, 'ports.json'), 'utf8')) as { server: number };
  const path = `/api/deployments?team=${session.team}&limit=100`;
  const headers = { authorization: `Bearer ${session.token}`, host: new URL(session.url).host };
  const answer = await (
    await fetch(`${session.url}${path}`, { headers: { authorization: headers.authorization } })
  ).text();
  const count = (JSON.parse(answer) as { items: unknown[] }).items.length;
  const ours = await rate({ url: `http://127.0.0.1:${server}${path}`, headers });
  const bare = await serveBytes(answer);
  const baseline = await rate({ url: bare.url, headers });
  bare.stop();
  return rateRow(`list of ${count} deployments, ${Math.round(answer.length / 1024)} KiB`, ours, [
    'bare fastify',
    baseline,
  ]);
}

async function rate(target: { url: string; headers: Record<string, string> }): Promise<number> {
  const run = () => autocannon({ ...target, connections: CONNECTIONS, duration: SECONDS });
  // The first is to warm up.
  await autocannon({ ...target, connections: CONNECTIONS, duration: 2 });
  const result = await run();
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} bad answers, ${result.errors} errors`);
  return result.requests.average;
}

/** In a process of its own, as ours is. */
async function serveBytes(bytes: string): Promise<{ url: string; stop(): void }> {
  const child = fork(fileURLToPath(new URL('serve-bytes.ts', import.meta.url)));
  child.send(bytes);
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message) => resolve(message as number));
    child.once('exit', () => reject(new Error('the bare server ended')));
  });
  return { url: `http://127.0.0.1:${port}/`, stop: () => child.disconnect() };
}
