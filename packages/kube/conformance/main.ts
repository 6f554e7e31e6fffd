import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { writeReport } from './report.ts';
import { askTarget, compareTargets } from './run-conformance.ts';
import { openRealTarget, startEmbeddedTarget } from './target.ts';

/**
 * Asks the embedded cluster and a real one the same and writes a table of what they answer differently.
 *
 *   npm run conformance -- [--target both|embedded|real] [--kubeconfig FILE] [--only AREA] [--out FILE]
 *
 * Of one target alone the answers are printed. Ends with 1 where a difference is not on the list of known ones, and where one of the list is
 * no difference any more.
 */
const { values: flags } = parseArgs({
  options: {
    target: { type: 'string', default: 'both' },
    /** Of an administrator; also by KUBECONFIG. */
    kubeconfig: { type: 'string' },
    only: { type: 'string' },
    out: { type: 'string', default: 'dist/conformance.md' },
  },
});
const kubeconfig = flags.kubeconfig ?? process.env.KUBECONFIG;

try {
  if (!['both', 'embedded', 'real'].includes(flags.target)) throw new Error('--target is both, embedded or real');
  if (flags.target === 'both') await compare();
  else await print();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
// The embedded cluster has let go of everything by now; what a broken-off case holds must not keep this alive.
process.exit();

async function compare(): Promise<void> {
  const real = await openRealTarget(requireKubeconfig());
  const embedded = await startEmbeddedTarget();
  try {
    const say = (sentence: string) => console.error(sentence);
    const report = await compareTargets({ embedded, real }, { only: flags.only, say });
    const text = writeReport(report);
    console.log(text);
    const out = resolve(flags.out);
    mkdirSync(dirname(out), { recursive: true });
    writeFileSync(out, text);
    if (report.unknown.length > 0 || report.stale.length > 0) process.exitCode = 1;
  } finally {
    await embedded.end();
    await real.end();
  }
}

async function print(): Promise<void> {
  const target = flags.target === 'real' ? await openRealTarget(requireKubeconfig()) : await startEmbeddedTarget();
  try {
    console.log(JSON.stringify(await askTarget(target, flags.only), undefined, 1));
  } finally {
    await target.end();
  }
}

function requireKubeconfig(): string {
  if (kubeconfig) return kubeconfig;
  throw new Error('say which cluster: --kubeconfig FILE or KUBECONFIG; npm run cluster -- up makes one');
}
