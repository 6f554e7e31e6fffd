import type { Deployment } from '@berth/core/deployment';
import { until } from '../support/berth.ts';

/** The REST API as a script uses it. */
export interface BerthApi {
  send<T>(method: string, path: string, body?: unknown): Promise<T>;
  /** Waits until every service of the newest revision is ready; fails with what the deployment says of itself. */
  running(id: string, withinMs: number): Promise<Deployment>;
  gone(id: string): Promise<void>;
}

export async function signIn(url: string): Promise<BerthApi> {
  const ask = (method: string, path: string, body?: unknown, cookie = '') =>
    fetch(url + path, {
      method,
      headers: { cookie, 'x-berth-request': '1', ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const session = await ask('POST', '/api/login/dev');
  const cookie = (session.headers.get('set-cookie') ?? '').split(';')[0] ?? '';

  async function send<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await ask(method, path, body, cookie);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  return {
    send,
    async running(id, withinMs) {
      let deployment: Deployment | undefined;
      await until(`${id} runs`, withinMs, async () => {
        deployment = await send<Deployment>('GET', `/api/deployments/${id}`);
        return deployment.phase === 'Running';
      }).catch((error: unknown) => {
        const { phase, message, services, jobs } = deployment ?? {};
        throw new Error(JSON.stringify({ phase, message, services, jobs }, undefined, 2), { cause: error });
      });
      if (!deployment) throw new Error('no answer');
      return deployment;
    },
    gone: (id) =>
      until(`${id} is gone`, 60_000, async () => {
        const answer = await ask('GET', `/api/deployments/${id}`, undefined, cookie);
        await answer.arrayBuffer();
        return answer.status === 404;
      }),
  };
}
