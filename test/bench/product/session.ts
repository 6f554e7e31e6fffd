/** A signed-in client of a Berth on loopback. */
export interface Session {
  url: string;
  token: string;
  team: string;
  call<T>(method: string, path: string, body?: unknown): Promise<T>;
}

export async function signIn(url: string): Promise<Session> {
  const changes = { 'x-berth-request': '1', 'content-type': 'application/json' };
  const login = await fetch(`${url}/api/login/dev`, { method: 'POST', headers: changes });
  if (!login.ok) throw new Error(`signing in answered ${login.status}: ${await login.text()}`);
  const cookie = (login.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const made = await fetch(`${url}/api/tokens`, {
    method: 'POST',
    headers: { ...changes, cookie },
    body: JSON.stringify({ name: 'bench' }),
  });
  const { token } = (await made.json()) as { token: string };

  async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
    return (answer.status === 204 ? undefined : await answer.json()) as T;
  }

  const { teams } = await call<{ teams: { id: string }[] }>('GET', '/api/me');
  const team = teams[0]?.id;
  if (team === undefined) throw new Error('the signed-in person has no team');
  return { url, token, team, call };
}

/** Runs `work` for each item, at most `width` at a time. */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = [...items];
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: width }, worker));
}
