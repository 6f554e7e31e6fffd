import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { request } from 'node:http';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ask } from '../../support/ask.ts';
import { freePort } from '../bench-server.ts';
import { type Row, timed, timeRow } from './row.ts';
import type { Session } from './session.ts';

/** From the request to deploy until the app's public address answers, beside starting the same program bare. */
export async function measureFirstByte(session: Session, { main, port }: { main: string; port: number }): Promise<Row> {
  const ours: number[] = [];
  for (const name of ['first-byte-a', 'first-byte-b', 'first-byte-c']) {
    ours.push(
      await timed(async () => {
        await session.call('POST', '/api/deployments', { team: session.team, name, template: 'whoami' });
        while ((await ask(name, port).catch(() => undefined))?.status !== 200) await delay(5);
      }),
    );
  }
  const program = programOf(main, 'whoami');
  const own = await freePort();
  const bare = await timed(async () => {
    const child = spawn(process.execPath, [program], {
      env: { PATH: process.env.PATH, PORT: String(own), LISTEN_ADDRESS: '127.0.0.1' },
    });
    while (!(await answers(own))) await delay(5);
    child.kill();
  });
  return timeRow('deploy to first byte (median of 3)', median(ours), ['the bare program', bare]);
}

/** An image is a file or a folder with its program. */
function programOf(main: string, image: string): string {
  const folder = join(dirname(main), 'images');
  const places = [`${image}.mjs`, `${image}/main.mjs`, `${image}/${image}.mjs`].map((path) => join(folder, path));
  const found = places.find((path) => existsSync(path));
  if (found === undefined) throw new Error(`no program of the image ${image} in ${folder}`);
  return found;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const asking = request({ host: '127.0.0.1', port }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    asking.on('error', () => resolve(false)).end();
  });
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
