import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createWhoami, parseEnvironment, type WhoamiOptions } from './whoami.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function start(options: Partial<WhoamiOptions> = {}): Promise<string> {
  const server = createWhoami({
    greeting: 'Hello <you>',
    hostname: 'whoami-1',
    podName: 'whoami-1',
    namespace: 'shop',
    environment: undefined,
    ...options,
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('whoami', () => {
  it('answers a browser with a page and escapes what it shows', async () => {
    const answer = await fetch(await start(), { headers: { accept: 'text/html', 'x-odd': '<script>' } });
    const page = await answer.text();
    expect(page).toContain('Hello &lt;you&gt;');
    expect(page).toContain('&lt;script&gt;');
    expect(page).not.toContain('<script>');
  });

  it('answers a terminal with text and a program with JSON', async () => {
    const url = await start();
    expect(await (await fetch(url)).text()).toContain('hostname: whoami-1');
    expect(await (await fetch(`${url}/api`)).json()).toMatchObject({ pod: 'whoami-1', namespace: 'shop', url: '/api' });
  });

  it('keeps its environment to itself unless told otherwise', async () => {
    expect((await fetch(`${await start()}/env`)).status).toBe(403);
  });

  it('shows the environment byte for byte as base64', async () => {
    const value = Buffer.from('$2a$12$mSN\r\n\u{1f600}=#', 'utf8');
    const block = Buffer.concat([Buffer.from('A='), value, Buffer.from('\0EMPTY=\0')]);
    const url = await start({ environment: () => block });
    const shown = (await (await fetch(`${url}/env?encoding=base64`)).json()) as Record<string, string>;
    expect(Buffer.from(shown.A ?? '', 'base64').equals(value)).toBe(true);
    expect(shown.EMPTY).toBe('');
  });

  it('refuses to change anything', async () => {
    expect((await fetch(await start(), { method: 'POST', body: 'x' })).status).toBe(405);
  });

  it('splits at the first equals sign only', () => {
    expect(parseEnvironment(Buffer.from('A==b=c\0'))).toEqual(new Map([['A', Buffer.from('=b=c')]]));
  });
});
