import type { Deployment } from '@berth/core/deployment';
import { until } from './berth.ts';

/** The REST API as a script uses it. */
export interface RestApi {
  /** With this header a request is the user's. */
  readonly headers: Readonly<Record<string, string>>;
  send<T>(method: string, path: string, body?: unknown): Promise<T>;
  /** Waits until every service of the newest revision is ready; fails with what the deployment says of itself. */
  running(id: string, withinMs: number): Promise<Deployment>;
  gone(id: string): Promise<void>;
}

/** Whoever has a password, else whoever reaches a Berth of this machine. */
export type Credentials = { email: string; password: string } | undefined;

export async function signInByRest(url: string, credentials: Credentials): Promise<RestApi> {
  const path = credentials ? '/api/login' : '/api/login/dev';
  const session = await request(url, {}, { method: 'POST', path, body: credentials });
  if (!session.ok) throw new Error(`signing in at ${url}: ${session.status} ${await session.text()}`);
  return restApi(url, { cookie: (session.headers.get('set-cookie') ?? '').split(';')[0] ?? '' });
}

export function restApi(url: string, headers: Record<string, string>): RestApi {
  async function send<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await request(url, headers, { method, path, body });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  return {
    headers,
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
        const answer = await request(url, headers, { method: 'GET', path: `/api/deployments/${id}` });
        await answer.arrayBuffer();
        return answer.status === 404;
      }),
  };
}

function request(
  url: string,
  headers: Record<string, string>,
  { method, path, body }: { method: string; path: string; body?: unknown },
): Promise<Response> {
  return fetch(url + path, {
    method,
    headers: { ...headers, 'x-berth-request': '1', ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}
