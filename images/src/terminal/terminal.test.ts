import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import {
  bundleProgram,
  eventually,
  freePort,
  ownFolder,
  type StartedProgram,
  startProgram,
  temporaryDirectory,
} from '../testing.ts';
import { parseMessage } from './message.ts';

const PASSWORD = 'open sesame';
const directory = temporaryDirectory();
let program: StartedProgram;
let url: string;
let cookie: string;

beforeAll(async () => {
  ownFolder(join(directory, 'root/home/me'));
  ownFolder(join(directory, 'root/tmp'));
  const file = await bundleProgram('terminal', directory);
  const port = await freePort();
  program = startProgram(file, {
    TERMINAL_PASSWORD: PASSWORD,
    PATH: '/usr/bin:/bin',
    PORT: String(port),
    CLUSTER_ROOT: join(directory, 'root'),
    LISTEN_ADDRESS: '127.0.0.1',
  });
  url = `http://127.0.0.1:${port}`;
  await eventually(async () => expect((await fetch(`${url}/healthz`)).status).toBe(200));
  const body = new URLSearchParams({ password: PASSWORD });
  const signedIn = await fetch(`${url}/sign-in`, { method: 'POST', redirect: 'manual', body });
  cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
});

afterAll(async () => {
  program.child.kill('SIGTERM');
  expect(await program.exit).toBe(0);
  rmSync(directory, { recursive: true, force: true });
});

interface Window {
  socket: WebSocket;
  text(): string;
  type(input: string): void;
  closed: Promise<number>;
}

async function openWindow(headers: Record<string, string> = { cookie, origin: url }): Promise<Window> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/shell`, { headers });
  let text = '';
  socket.on('message', (data) => {
    text += String(data);
  });
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return { socket, text: () => text, closed, type: (input) => socket.send(JSON.stringify({ input })) };
}

const shows = (window: Window, expected: string | RegExp) =>
  eventually(async () => expect(window.text()).toMatch(expected));

describe('a terminal', () => {
  it('lets in nobody without the password or from another page', async () => {
    await expect(openWindow({ origin: url })).rejects.toThrow('403');
    await expect(openWindow({ cookie, origin: 'https://elsewhere.example' })).rejects.toThrow('403');
    expect((await fetch(url)).status).toBe(401);
    const page = await fetch(url, { headers: { cookie } });
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('/browser.js')]);
    for (const asset of ['browser.js', 'browser.css']) expect((await fetch(`${url}/${asset}`)).status).toBe(200);
  });

  it('runs a shell in a terminal of the size of the window, in its home', async () => {
    const window = await openWindow();
    window.socket.send(JSON.stringify({ columns: 101, rows: 33 }));
    window.type('stty size; pwd; tty; echo "[$TERMINAL_PASSWORD]"\r');
    await shows(window, /33 101/);
    await shows(window, /root\/home\/me\r\n/);
    await shows(window, /\/dev\/pts\/\d+/);
    await shows(window, /\n\[\]/);
    window.socket.close();
    await window.closed;
  });

  it('goes on while nobody looks, and shows what was missed', async () => {
    const first = await openWindow();
    first.type('marker=$((40 + 2)); (sleep 0.3; echo "late-$marker") & \r');
    await shows(first, /\[1\]/);
    first.socket.terminate();
    const second = await openWindow();
    await shows(second, /marker=/);
    await shows(second, /[^"]late-42/);
    second.type('echo "again-$marker"\r');
    await shows(second, /[^"]again-42/);
    const third = await openWindow();
    await shows(third, /[^"]again-42/);
    for (const each of [second, third]) each.socket.close();
  });

  it('begins another shell when one ended', async () => {
    const window = await openWindow();
    window.type('exit\r');
    expect(await window.closed).toBe(4000);
    const next = await openWindow();
    next.type('echo "marker is [$marker]"\r');
    await shows(next, /[^"]marker is \[\]/);
    next.socket.close();
  });

  it.each(['', 'x', 'null', '[]', '{"columns":0,"rows":1}', '{"columns":1e9,"rows":1}', '{"input":5}'])(
    'passes over %j',
    (text) => {
      expect(parseMessage(text) ?? {}).toEqual({});
    },
  );
});
