import { appendFileSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  bundleProgram,
  eventually,
  freePort,
  ownFolder,
  type StartedProgram,
  startProgram,
  temporaryDirectory,
} from '../testing.ts';
import { check, parseResult } from './check.ts';
import { openResultFile } from './result-file.ts';

const directory = temporaryDirectory();
let answers = 200;
const site = createServer((_request, response) => response.writeHead(answers).end('hello'));
let program: string;
let web: StartedProgram;
let environment: Record<string, string>;
let url: string;

beforeAll(async () => {
  ownFolder(join(directory, 'data'));
  program = await bundleProgram('uptime', directory);
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  environment = {
    ADDRESS: `http://127.0.0.1:${(site.address() as { port: number }).port}/<here>`,
    TOKEN: 'of the job alone',
    RESULTS_URL: `${url}/results`,
    DATA_DIRECTORY: join(directory, 'data'),
    LISTEN_ADDRESS: '127.0.0.1',
    PORT: String(port),
  };
  web = startProgram(program, environment, ['web']);
  await eventually(async () => expect((await fetch(`${url}/healthz`)).status).toBe(200));
});

afterAll(async () => {
  web.child.kill('SIGTERM');
  expect(await web.exit).toBe(0);
  site.closeAllConnections();
  await new Promise((resolve) => site.close(resolve));
  rmSync(directory, { recursive: true, force: true });
});

const latest = async () => ((await (await fetch(`${url}/results`)).json()) as { results: unknown[] }).results;

describe('an uptime check', () => {
  it('takes results from its job and from nobody else', async () => {
    const job = startProgram(program, environment, ['check']);
    expect([await job.exit, job.output()]).toEqual([0, expect.stringMatching(/^INFO .*status 200/)]);
    expect(await latest()).toEqual([
      { at: expect.any(String), good: true, status: 200, milliseconds: expect.any(Number) },
    ]);
    const stranger = startProgram(program, { ...environment, TOKEN: 'guessed' }, ['check']);
    expect([await stranger.exit, stranger.output()]).toEqual([
      1,
      expect.stringContaining('ERROR the result was not taken'),
    ]);
    expect(await latest()).toHaveLength(1);
  });

  it('checks on demand, not too often, and shows what was bad', async () => {
    answers = 503;
    const now = () => fetch(`${url}/check`, { method: 'POST', redirect: 'manual', body: new URLSearchParams() });
    expect((await now()).status).toBe(303);
    expect((await now()).status).toBe(429);
    const page = await (await fetch(url)).text();
    expect(page).toContain('1 of the last 2 checks was good.');
    expect(page).toContain('/&lt;here&gt;');
  });

  it('says what was wrong without an answer', async () => {
    const result = await check(`http://127.0.0.1:${await freePort()}/`, () => new Date(0));
    expect(result).toMatchObject({
      at: '1970-01-01T00:00:00.000Z',
      good: false,
      problem: expect.stringContaining('ECONNREFUSED'),
    });
    expect(parseResult({ ...result })).toEqual(result);
  });

  it.each([{}, { at: 'x', good: true, milliseconds: 1 }, { at: '2026-01-01', good: 'yes', milliseconds: 1 }])(
    'takes no %j for a result',
    (fields) => {
      expect(parseResult(fields)).toBeUndefined();
    },
  );
});

describe('the file of results', () => {
  it('keeps the latest, and passes over a line that was cut short', async () => {
    const file = join(directory, 'own.jsonl');
    const result = (milliseconds: number) => ({ at: new Date(0).toISOString(), good: true, milliseconds });
    const first = await openResultFile(file, 5);
    for (let index = 0; index < 23; index++) await first.add(result(index));
    expect(first.latest(2).map(({ milliseconds }) => milliseconds)).toEqual([22, 21]);
    expect(readFileSync(file, 'utf8').trim().split('\n').length).toBeLessThanOrEqual(10);
    appendFileSync(file, '{"at":"19');
    const second = await openResultFile(file, 5);
    await second.add(result(100));
    expect(second.latest(9).map(({ milliseconds }) => milliseconds)).toEqual([100, 22, 21, 20, 19]);
    expect((await openResultFile(file, 5)).latest(1)).toEqual([result(100)]);
  });
});
