import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ask } from '../support/ask.ts';
import { berthAt, tail, testFolder, until } from '../support/berth.ts';
import { type Api, makeDeployment, rehearse } from './rehearsal.ts';
import { countingProblems, isGood, type Sample, tableOf } from './sample.ts';
import { type Sender, startSender } from './sender-process.ts';
import { templateOf } from './template.ts';

/**
 * The load test: a deployment is updated again and again, once to a version that crashes, while a steady stream of requests reaches it by its
 * public host. Afterwards every answer must have been a good one, and every POST must be in the files of the pods exactly once.
 */
const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const { values: flags } = parseArgs({
  options: {
    rate: { type: 'string', default: '200' },
    updates: { type: 'string', default: '10' },
    port: { type: 'string', default: '7490' },
    main: { type: 'string', default: join(root, 'dist/main.js') },
    keep: { type: 'boolean', default: false },
  },
});
const updates = Number(flags.updates);
const HOST_NAME = 'load';
const SHOWN = 10;

await main();

async function main(): Promise<void> {
  const folder = testFolder('berth-load-');
  const ledger = join(folder, 'ledger');
  const berth = berthAt({ main: flags.main, data: join(folder, 'data'), port: Number(flags.port) });
  const problems: string[] = [];
  let sender: Sender | undefined;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      sender?.kill();
      void berth.stop().finally(() => process.exit(1));
    });
  }
  try {
    console.log(`load test: ${flags.rate} requests a second through ${updates} updates, data in ${folder}`);
    const template = templateOf({ node: process.execPath, file: placeProgram(folder), ledger });
    // Pods run as a user of their own when Berth runs as root.
    mkdirSync(ledger);
    chmodSync(ledger, 0o777);
    await berth.start();
    const api = await signIn(berth.url);
    const id = await makeDeployment(api, template);
    await until('the app answers', 30_000, async () => (await ask(HOST_NAME, berth.port)).status === 200);
    sender = startSender({ host: `${HOST_NAME}.localhost:${berth.port}`, port: berth.port, rate: Number(flags.rate) });
    const rehearsal = { api, updates, brokenAt: Math.ceil(updates / 2), quietMs: { around: 5_000, between: 1_000 } };
    problems.push(...(await rehearse(rehearsal, id, sender)));
    problems.push(...judge(await sender.stop(), ledger));
    sender = undefined;
  } catch (error) {
    problems.push(error instanceof Error ? `${error.message}${error.cause ? ` (${error.cause})` : ''}` : String(error));
  } finally {
    sender?.kill();
    await berth.stop().catch((error: Error) => problems.push(error.message));
  }
  for (const problem of problems) console.log(`  not right: ${problem}`);
  if (!flags.keep && problems.length === 0) rmSync(folder, { recursive: true, force: true });
  else console.log(`--- end of the log of berth up\n${tail(berth.log)}`);
  console.log(`${problems.length === 0 ? 1 : 0} passed, ${problems.length === 0 ? 0 : 1} failed`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

/** Where the user of pods can read it, wherever the sources are. */
function placeProgram(folder: string): string {
  const place = join(folder, 'program.mjs');
  copyFileSync(fileURLToPath(new URL('./program.mjs', import.meta.url)), place);
  chmodSync(place, 0o644);
  return place;
}

function judge(samples: Sample[], ledger: string): string[] {
  console.log(`\n${tableOf(samples)}\n`);
  const bad = samples.filter((sample) => !isGood(sample));
  const words = bad.map(
    ({ id, phase, method, slow, status, error, milliseconds }) =>
      `${method}${slow ? ', slow,' : ''} ${id} (${phase}): ${status ?? error} after ${milliseconds.toFixed(0)} ms`,
  );
  const counted = readCounted(ledger);
  console.log(`${counted.length} POSTs were counted by ${existsSync(ledger) ? readdirSync(ledger).length : 0} pods`);
  return [...shorten(words), ...shorten(countingProblems(samples, counted))];
}

function readCounted(ledger: string): string[] {
  return readdirSync(ledger).flatMap((file) => readFileSync(join(ledger, file), 'utf8').split('\n').filter(Boolean));
}

function shorten(problems: string[]): string[] {
  const more = problems.length - SHOWN;
  return more > 0 ? [...problems.slice(0, SHOWN), `and ${more} more such`] : problems;
}

async function signIn(url: string): Promise<Api> {
  const response = await fetch(`${url}/api/login/dev`, { method: 'POST', headers: { 'x-berth-request': '1' } });
  if (!response.ok) throw new Error(`signing in: ${response.status} ${await response.text()}`);
  const cookie = (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  return {
    async send(method, path, body) {
      const answer = await fetch(url + path, {
        method,
        headers: {
          cookie,
          'x-berth-request': '1',
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
      return text === '' ? {} : JSON.parse(text);
    },
  };
}
