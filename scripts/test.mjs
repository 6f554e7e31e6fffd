// What `npm test` runs. It sets itself up, shows everything as it goes and ends with one plain line: N passed, N failed.
//   npm test                        all of it: unit and integration tests, ten kills, updates under load, every template, the browser,
//                                   and all of that which people see once more on a real cluster
//   node scripts/test.mjs unit      only the first
//   node scripts/test.mjs crash     the long crash test
//   node scripts/test.mjs load      updates of an app under load
//   node scripts/test.mjs templates every template does its job
//   node scripts/test.mjs browser   only the browser
//   node scripts/test.mjs cluster   a real cluster: the chart, failures, and the files of the three above; --long for longer failures
//   node scripts/test.mjs mutants   safeguards taken out, which the crash test must notice
import { join } from 'node:path';
import { install } from './install.mjs';
import { kubectlEnvironment } from './kubectl.mjs';
import { PlainError, reportAndExit, requireNode, root, seconds } from './steps.mjs';
import { clusterStage } from './test/cluster.mjs';
import { execute, MINUTE_MS } from './test/execute.mjs';
import { onLaptop } from './test/journeys.mjs';
import { vitest } from './test/vitest.mjs';

const STAGES = {
  unit: async () =>
    vitest({
      name: 'unit and integration',
      config: 'vitest.config.ts',
      env: await kubectlEnvironment(),
      withinMs: 15 * MINUTE_MS,
    }),
  kills: async () => crash({ name: 'crash, ten kills', kills: 10, withinMs: 8 * MINUTE_MS }),
  crash: async () => crash({ name: 'crash, a hundred kills', kills: 100, withinMs: 60 * MINUTE_MS }),
  mutants: async () => program({ name: 'mutants', parameters: ['test/crash/mutants.ts'], withinMs: 60 * MINUTE_MS }),
  templates: () => onLaptop('templates'),
  load: () => onLaptop('load'),
  browser: () => onLaptop('browser'),
  cluster: () => clusterStage(clusterOptions(process.argv.slice(3))),
};
const WANTED = {
  all: ['unit', 'kills', 'load', 'templates', 'browser', 'cluster'],
  unit: ['unit'],
  crash: ['crash'],
  load: ['load'],
  templates: ['templates'],
  browser: ['browser'],
  cluster: ['cluster'],
  mutants: ['mutants'],
};

try {
  requireNode();
  const stages = WANTED[process.argv[2] ?? 'all'];
  if (!stages)
    throw new PlainError(`there is no "${process.argv[2]}" to test; choose one of ${Object.keys(WANTED).join(', ')}`);
  await install();
  const { buildIfChanged } = await import('./build.mjs');
  await buildIfChanged();
  process.exitCode = await runStages(stages);
} catch (error) {
  reportAndExit(error);
}

async function runStages(stages) {
  const since = performance.now();
  const results = [];
  for (const stage of stages) results.push(await runStage(stage));
  console.log(`\nAll tests took ${seconds(since)}.`);
  for (const { name, passed, failed, skipped, took } of results) {
    console.log(`  ${name}: ${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''} in ${took}`);
  }
  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
  return sum('failed') === 0 ? 0 : 1;
}

/** A stage that cannot even run has failed; the others still run. */
async function runStage(stage) {
  const since = performance.now();
  console.log(`\n=== ${stage}`);
  try {
    return { ...(await STAGES[stage]()), took: seconds(since) };
  } catch (error) {
    console.error(error instanceof PlainError ? error.message : error);
    return { name: stage, passed: 0, failed: 1, skipped: 0, took: seconds(since) };
  }
}

async function crash({ name, kills, withinMs }) {
  const main = join(root, 'dist/main.js');
  return program({ name, parameters: ['test/crash/run.ts', '--kills', String(kills), '--main', main], withinMs });
}

async function program({ name, parameters, withinMs }) {
  const code = await execute(['--import', 'tsx', ...parameters], { env: {}, withinMs });
  return { name, passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 };
}

/** `--long`: failures last as long as they may; `--only NAME`: a part of it, on a cluster that stays. */
function clusterOptions(parameters) {
  const at = parameters.indexOf('--only');
  return { long: parameters.includes('--long'), only: at === -1 ? undefined : parameters[at + 1] };
}
