import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/berth.ts';
import type { Platform } from '../support/platform.ts';
import { startPlatform } from '../support/target.ts';
import { visit } from '../support/visit.ts';
import { type LedgerServer, startLedgerServer } from './ledger-server.ts';
import { makeDeployment, NAME, rehearse } from './rehearsal.ts';
import { countingProblems, isGood, type Sample, tableOf } from './sample.ts';
import { type Sender, startSender } from './sender-process.ts';
import { templateOf } from './template.ts';

/**
 * A deployment is updated again and again, once to a version that crashes, while a steady stream of requests reaches it by its public host.
 * Afterwards every answer must have been a good one, and every POST must have been counted exactly once.
 */
const updates = Number(process.env.BERTH_TEST_UPDATES ?? 3);
const rate = Number(process.env.BERTH_TEST_RATE ?? 200);
const QUIET_MS = { around: 5_000, between: 1_000 };

let platform: Platform;
let ledger: LedgerServer;
let sender: Sender | undefined;
let id: string;
let samples: Sample[] = [];

beforeAll(async () => {
  platform = await startPlatform('load');
  ledger = await startLedgerServer(platform.machineAddress);
  const source = readFileSync(fileURLToPath(new URL('./program.mjs', import.meta.url)), 'utf8');
  id = await makeDeployment(platform.api, templateOf({ node: platform.nodeProgram, source, ledger: ledger.url }));
  await until('the app answers', 30_000, async () => (await visit(platform.app(NAME))).status === 200);
});
afterAll(async () => {
  sender?.kill();
  await ledger?.close();
  await platform?.end();
});

describe('under load', () => {
  it('every update ends as it should: those that can work run, the one that crashes stops itself', async () => {
    sender = startSender({ url: platform.app(NAME), rate });
    const rehearsal = { api: platform.api, updates, brokenAt: Math.ceil(updates / 2), quietMs: QUIET_MS };
    expect(await rehearse(rehearsal, id, sender)).toEqual([]);
    samples = await sender.stop();
    console.log(`\n${tableOf(samples)}\n`);
  });

  it('no request fails, slow ones and WebSockets not either', () => {
    const bad = samples.filter((sample) => !isGood(sample));
    expect(samples.length).toBeGreaterThan(rate);
    expect(bad.map(wordsOf)).toEqual([]);
  });

  it('what was answered was done once and no more', () => {
    const { counted } = ledger;
    console.log(`${counted.length} POSTs were counted by ${new Set(counted.map(({ pod }) => pod)).size} pods`);
    expect(
      countingProblems(
        samples,
        counted.map(({ id }) => id),
      ),
    ).toEqual([]);
  });
});

function wordsOf({ id, phase, method, slow, status, error, milliseconds }: Sample): string {
  return `${method}${slow ? ', slow,' : ''} ${id} (${phase}): ${status ?? error} after ${milliseconds.toFixed(0)} ms`;
}
