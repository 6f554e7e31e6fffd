import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createKubeClient } from '@berth/kube/client/http-client';
import type { BenchServer } from './bench-server.ts';
import { startEmbedded } from './embedded-server.ts';
import { type Measurements, measure } from './measure.ts';
import { startReal } from './real-server.ts';

/**
 * How fast the embedded API server is, on PostgreSQL, beside a real kube-apiserver with etcd where there is one: each in processes of
 * its own, one after the other, asked by the same client. The client costs the same in both, so ratios are more than the numbers.
 *
 *   npx tsx test/bench/kube-api.ts [--objects 1000] [--watchers 50] [--rounds 2] [--real FOLDER]
 *
 * FOLDER holds the programs `kube-apiserver` and `etcd`. Prints, asserts nothing.
 */
const { values: flags } = parseArgs({
  options: {
    objects: { type: 'string', default: '1000' },
    watchers: { type: 'string', default: '50' },
    rounds: { type: 'string', default: '2' },
    real: { type: 'string', default: join(homedir(), '.cache/real-kubernetes') },
  },
});
const sizes = { objects: Number(flags.objects), watchers: Number(flags.watchers) };
const hasReal = ['kube-apiserver', 'etcd'].every((name) => existsSync(join(flags.real, name)));
const starts: Record<string, () => Promise<BenchServer>> = {
  embedded: startEmbedded,
  ...(hasReal && { real: () => startReal(flags.real) }),
};

const results: Record<string, Measurements[]> = {};
for (let round = 1; round <= Number(flags.rounds); round++) {
  for (const [name, start] of Object.entries(starts)) {
    const server = await start();
    const client = createKubeClient(server.config);
    try {
      const rates = await measure(client, { ...sizes, round });
      results[name] = [...(results[name] ?? []), rates];
    } finally {
      await client.close();
      await server.stop();
    }
  }
}
print();

function print(): void {
  console.log(
    `${sizes.objects} config maps, ${sizes.watchers} watchers, the best of ${flags.rounds} rounds, per second`,
  );
  const best = Object.entries(results).map(([name, rounds]) => [name, bestOf(rounds)] as const);
  const names = best.map(([name]) => name.padStart(10)).join('');
  console.log(`${''.padEnd(28)}${names}${hasReal ? ' embedded/real' : ''}`);
  for (const what of Object.keys(best[0]![1])) {
    const cells = best.map(([, rates]) => rates[what]!);
    const ratio = cells.length === 2 ? (cells[0]! / cells[1]!).toFixed(2).padStart(14) : '';
    console.log(
      `${what.padEnd(28)}${cells.map((rate) => rate.toFixed(rate < 100 ? 1 : 0).padStart(10)).join('')}${ratio}`,
    );
  }
  if (!hasReal) console.log(`no kube-apiserver and etcd in ${flags.real}: nothing to compare with`);
}

function bestOf(rounds: Measurements[]): Measurements {
  return Object.fromEntries(
    Object.keys(rounds[0]!).map((what) => [what, Math.max(...rounds.map((round) => round[what]!))]),
  );
}
