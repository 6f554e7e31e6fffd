import { mkdtempSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from '../cluster/build.ts';
import { CONTROL_PLANE } from '../cluster/programs.ts';
import { buildPeer } from './cluster/build-peer.ts';
import { type Bench, measureIdle, measureRate, type RateResult } from './cluster/measure.ts';
import { ourOperator, peerOperator } from './cluster/operator-process.ts';
import { idleRows, rateRows, requestLines } from './cluster/rows.ts';
import { printRows, type Row } from './product/row.ts';

/**
 * Our operator beside one in Go that makes the same children (`peer/`), each on a real control plane of its own without a node, one after
 * the other: how long many deployments take, and what many that are stopped cost. Prints, asserts nothing.
 *
 *   node scripts/build.mjs programs && npm run bench:cluster -- [--count 1000] [--idle 10000] [--minutes 2]
 *
 * Of several rounds the fastest counts: others on the machine only ever slow one down. A count of 0 leaves that part out; `--alone` leaves out the other operator; `--profile` writes a profile of our processor time.
 */
const { values: flags } = parseArgs({
  options: {
    count: { type: 'string', default: '1000' },
    idle: { type: 'string', default: '10000' },
    minutes: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '1' },
    main: { type: 'string', default: 'dist/main.js' },
    alone: { type: 'boolean', default: false },
    profile: { type: 'boolean', default: false },
  },
});
const count = Number(flags.count);
const idle = { count: Number(flags.idle), minutes: Number(flags.minutes) };

const folder = mkdtempSync(join(tmpdir(), 'operators-'));
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'berth');
const bench: Bench = {
  built: await build(CONTROL_PLANE, cache),
  logs: folder,
  say: (sentence) => console.log(sentence),
};
const ours = ourOperator(resolve(flags.main), flags.profile ? folder : undefined);
const peer = flags.alone ? ours : peerOperator(await buildPeer(folder));

const rows: Row[] = [];
if (count > 0) {
  const rounds: { theirs: RateResult | undefined; own: RateResult }[] = [];
  for (let round = 0; round < Number(flags.rounds); round++) {
    const theirs = flags.alone ? undefined : await measureRate(bench, peer, count);
    rounds.push({ theirs, own: await measureRate(bench, ours, count) });
  }
  const own = fastest(rounds.map((round) => round.own));
  const theirs = flags.alone ? undefined : fastest(rounds.flatMap((round) => round.theirs ?? []));
  rows.push(...rateRows(count, own, theirs ?? own));
  for (const line of requestLines('Berth', own.requests)) console.log(line);
  if (theirs) for (const line of requestLines('Go', theirs.requests)) console.log(line);
}
if (idle.count > 0) {
  const theirs = flags.alone ? undefined : await measureIdle(bench, peer, idle);
  const own = await measureIdle(bench, ours, idle);
  rows.push(...idleRows(idle.count, own, theirs ?? own));
  for (const line of requestLines('Berth, idle,', own.requests)) console.log(line);
}
printRows(rows);
console.log(`logs of the operators: ${folder}`);

function fastest(results: readonly RateResult[]): RateResult {
  return results.reduce((best, each) => (each.milliseconds < best.milliseconds ? each : best));
}
