// The stage on a real cluster: it comes up, Berth is installed with its chart, all that people do is tried as on a laptop, then what only a
// cluster has; and in the end nothing may be left on the machine.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { kubectlEnvironment } from '../kubectl.mjs';
import { root, run, seconds } from '../steps.mjs';
import { execute, MINUTE_MS } from './execute.mjs';
import { JOURNEYS, onCluster, onLaptop } from './journeys.mjs';
import { machineState, newOnMachine } from './machine-state.mjs';
import { keptTests, targetDifferences } from './targets.mjs';
import { vitest } from './vitest.mjs';

const NAMES = Object.keys(JOURNEYS);

/** `only` keeps a cluster that is up as it is, and tries just that: load, templates, browser or own. For whoever works on them. */
export async function clusterStage({ long, only }) {
  const cluster =
    process.env.BERTH_CLUSTER_DIR || join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'berth/cluster');
  const scratch = mkdtempSync(join(tmpdir(), 'berth-cluster-'));
  const tally = { name: 'cluster', passed: 0, failed: 0, skipped: 0 };
  const timings = [];
  const timed = async (what, work) => {
    const since = performance.now();
    try {
      return await work();
    } finally {
      timings.push(`  ${what}: ${seconds(since)}`);
    }
  };
  const stage = { long, cluster: resolve(cluster), installation: join(scratch, 'installation.json'), timed };
  const before = await machineState(stage.cluster);
  try {
    if (!only) for (const result of await missingOnLaptop()) add(tally, result);
    await timed('cluster up', () => node(['scripts/cluster.mjs', 'up', '--dir', stage.cluster, ...network()], 45));
    await timed('images', () => makeImages(stage));
    await timed('install', () => node([...INSTALL, '--cluster', stage.cluster, '--to', stage.installation], 8));
    for (const result of await runAll(stage, only)) add(tally, result);
    if (!only) add(tally, compareTargets());
  } catch (error) {
    console.error(error);
    tally.failed += 1;
  } finally {
    if (!only) {
      await timed('down', async () => add(tally, await leaveNothing(stage, before)));
    }
    rmSync(scratch, { recursive: true, force: true });
    console.log(`\nOn the cluster:\n${timings.join('\n')}`);
  }
  return tally;
}

/** How long failures last where everybody waits for it: each longer than a Lease, and no longer. */
const SHORT = { BERTH_TEST_FREEZE_SECONDS: '25', BERTH_TEST_OUTAGE_SECONDS: '20', BERTH_TEST_QUIET_SECONDS: '20' };
const INSTALL = ['--import', 'tsx', 'test/cluster/install.ts'];

/** Another than the usual one, for whoever has a cluster up already. */
function network() {
  const network = process.env.BERTH_CLUSTER_NETWORK;
  return network ? ['--network', network] : [];
}

async function node(parameters, minutes, env = {}) {
  const code = await execute(parameters, { env, withinMs: minutes * MINUTE_MS });
  if (code !== 0) throw new Error(`node ${parameters.join(' ')} ended with ${code}`);
}

async function makeImages({ cluster }) {
  await node(['scripts/images/main.mjs'], 15);
  const folder = join(root, 'dist/images');
  const archives = readdirSync(folder).filter((name) => name.endsWith('.tar'));
  await node(['scripts/cluster.mjs', 'load', '--dir', cluster, ...archives.map((name) => join(folder, name))], 5);
}

function add(tally, { passed, failed, skipped }) {
  tally.passed += passed;
  tally.failed += failed;
  tally.skipped += skipped;
}

/** What has not passed on the laptop with the same sources yet, such as when this stage is run alone: there is nothing to compare with. */
async function missingOnLaptop() {
  const results = [];
  for (const name of NAMES) if (!keptTests('laptop', name)) results.push(await onLaptop(name));
  return results;
}

async function runAll(stage, only) {
  const results = [];
  const { url, domain, address, authority } = JSON.parse(readFileSync(stage.installation, 'utf8'));
  const env = {
    BERTH_TEST_INSTALLATION: stage.installation,
    BERTH_TEST_CLUSTER: stage.cluster,
    BERTH_TEST_HOSTS: `${address} ${new URL(url).hostname} ${domain}`,
    NODE_EXTRA_CA_CERTS: authority,
    ...(stage.long ? { BERTH_TEST_LONG: '1' } : SHORT),
  };
  const onFailure = () => describe(stage);
  for (const name of NAMES.filter((each) => !only || each === only))
    results.push(await stage.timed(name, () => onCluster(name, { env, onFailure })));
  if (!only || only === 'own') results.push(await stage.timed('own', () => ownFiles(stage, env, onFailure)));
  return results;
}

/** What only a cluster has: failures of its parts, the chart, isolation. */
async function ownFiles({ long }, env, onFailure) {
  return vitest({
    name: 'cluster',
    config: 'test/cluster/vitest.config.ts',
    env: { ...(await kubectlEnvironment()), ...env },
    withinMs: (long ? 60 : 25) * MINUTE_MS,
    onFailure,
  });
}

function compareTargets() {
  const differences = NAMES.flatMap((name) => {
    const [laptop, cluster] = [keptTests('laptop', name), keptTests('cluster', name)];
    // What failed has been told.
    return laptop && cluster ? targetDifferences(laptop, cluster) : [];
  });
  for (const difference of differences) console.error(`not the same on both: ${difference}`);
  const failed = differences.length > 0 ? 1 : 0;
  return { passed: 1 - failed, failed, skipped: 0 };
}

async function describe({ cluster }) {
  const kubectl = (...parameters) =>
    run(join(cluster, 'bin/kubectl'), ['--kubeconfig', join(cluster, 'kubeconfig'), ...parameters], { quiet: true });
  for (const question of [
    ['get', 'pods', '-A', '-o', 'wide'],
    ['get', 'events', '-A', '--sort-by=.lastTimestamp'],
    [
      '-n',
      'berth-system',
      'logs',
      '-l',
      'app.kubernetes.io/instance=berth',
      '--all-containers',
      '--prefix',
      '--tail=40',
    ],
  ]) {
    const answer = await kubectl(...question).catch((error) => error.message);
    console.error(`--- kubectl ${question.join(' ')}\n${answer.split('\n').slice(-120).join('\n')}`);
  }
}

/** Uninstalled, taken down, and the machine as it was. */
async function leaveNothing({ cluster }, before) {
  const failures = [];
  for (const parameters of [
    [...INSTALL, '--cluster', cluster, '--remove'],
    ['scripts/cluster.mjs', 'down', '--dir', cluster],
  ])
    await node(parameters, 5).catch((error) => failures.push(error.message));
  failures.push(...newOnMachine(before, await machineState(cluster)));
  if (existsSync(cluster)) failures.push(`left on the machine: ${cluster}`);
  for (const failure of failures) console.error(failure);
  return { passed: failures.length === 0 ? 1 : 0, failed: failures.length === 0 ? 0 : 1, skipped: 0 };
}
