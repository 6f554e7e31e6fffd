import './hosts.mjs';
import { type Asking, type Reply, visit } from './visit.ts';

/** Asks an app of a Berth on this machine. */
export async function ask(
  name: string,
  port: number,
  { path = '/', ...asking }: Asking & { path?: string } = {},
): Promise<{ status: number; body: string }> {
  const reply: Reply = await visit(`http://${name}.localhost:${port}${path}`, {
    ...asking,
    headers: { accept: 'application/json', ...asking.headers },
  });
  return { status: reply.status, body: reply.text };
}
