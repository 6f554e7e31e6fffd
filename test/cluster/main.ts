import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { PlainError, reportAndExit, seconds } from '../../scripts/steps.mjs';
import { build, isBuilt, locate } from './build.ts';
import type { Cluster } from './cluster.ts';
import { readSettings } from './cluster-file.ts';
import { loadImages } from './containers.ts';
import { down } from './down.ts';
import { withLock } from './lock.ts';
import type { Part } from './part.ts';
import { endPart, findPart, isPartHealthy, partsOf, startPart } from './parts.ts';
import { signal } from './processes.ts';
import { CONTROL_PLANE, END_TO_END, NODE } from './programs.ts';
import { requireMachine, withSystemFolders } from './requirements.ts';
import { findHolder } from './sandbox.ts';
import { statusOf, statusTable } from './status.ts';
import { until } from './until.ts';
import { up } from './up.ts';

const USAGE = `npm run cluster -- COMMAND [--dir DIR]

  up [--no-node] [--port N] [--network 10.N] [--apiserver-flag FLAG] [--install]   builds what is missing, starts what does not run
  down                        ends it and leaves nothing
  status                      each part, its process, health and version
  load ARCHIVE...             makes images known to the node
  start|end|kill|restart|stop|continue PART...
                              for tests of failures; stop and continue freeze a process and let it go on
  build [e2e]                 only builds; e2e: the official end-to-end suite with agnhost and ginkgo`;

const PORT = 6443;
const NETWORK = '10.201';
const HEALTHY_WITHIN_MS = 60_000;

interface Command {
  parameters: string[];
  cache: string;
  dir: string;
  flags: ReturnType<typeof readFlags>['values'];
}

const COMMANDS: Record<string, (command: Command) => Promise<void>> = {
  up: upCommand,
  down: downCommand,
  status: statusCommand,
  load: loadCommand,
  build: buildCommand,
  start: (command) => eachPart(command, startHealthy),
  end: (command) => eachPart(command, (cluster, part) => endPart(cluster, part)),
  kill: (command) => eachPart(command, (cluster, part) => endPart(cluster, part, 0)),
  restart: (command) =>
    eachPart(command, async (cluster, part) => {
      await endPart(cluster, part);
      await startHealthy(cluster, part);
    }),
  stop: (command) => eachPart(command, async (cluster, part) => signal(runningPid(cluster, part), 'SIGSTOP')),
  continue: (command) => eachPart(command, async (cluster, part) => signal(runningPid(cluster, part), 'SIGCONT')),
};

try {
  process.env.PATH = withSystemFolders(process.env.PATH ?? '');
  const { values: flags, positionals } = readFlags();
  const [name = '', ...parameters] = positionals;
  const command = COMMANDS[name];
  if (!command || flags.help) throw new PlainError(USAGE);
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'berth');
  const dir = resolve(flags.dir ?? (process.env.BERTH_CLUSTER_DIR || join(cache, 'cluster')));
  await command({ parameters, cache, dir, flags });
} catch (error) {
  reportAndExit(error);
}

function readFlags() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        dir: { type: 'string' },
        port: { type: 'string', default: String(PORT) },
        network: { type: 'string', default: NETWORK },
        'no-node': { type: 'boolean', default: false },
        'apiserver-flag': { type: 'string', multiple: true, default: [] as string[] },
        install: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new PlainError(`${(error as Error).message}\n\n${USAGE}`);
  }
}

async function upCommand({ cache, dir, flags }: Command): Promise<void> {
  const since = performance.now();
  const cluster = readCluster(dir, flags);
  const modules = programsOf(cluster);
  const install = flags.install || process.env.CI === 'true';
  await requireMachine({ building: !(await isBuilt(modules, cache)), node: cluster.node, install });
  const built = await build(modules, cache);
  const file = await withLock(dir, () => up(cluster, built));
  console.log(`Ready after ${seconds(since)}. ${join(dir, 'cluster.json')} says where everything is:`);
  console.log(JSON.stringify(file, undefined, 2));
}

function readCluster(dir: string, flags: Command['flags']): Cluster {
  const port = Number(flags.port);
  if (!Number.isInteger(port) || port < 1 || port > 65_530) {
    throw new PlainError(`--port ${flags.port}: a number from 1 to 65530 is needed`);
  }
  if (!/^10\.(\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])$/.test(flags.network)) {
    throw new PlainError(`--network ${flags.network}: write 10.N with a number from 0 to 255, such as ${NETWORK}`);
  }
  return { dir, node: !flags['no-node'], port, network: flags.network, apiserverFlags: flags['apiserver-flag'] };
}

function programsOf(cluster: Cluster) {
  return cluster.node ? [...CONTROL_PLANE, ...NODE] : CONTROL_PLANE;
}

async function downCommand({ dir }: Command): Promise<void> {
  await withLock(dir, async () => {
    const cluster = await readSettings(dir);
    if (!cluster) return console.log(`There is no cluster in ${dir}.`);
    await down(cluster);
  });
}

async function statusCommand({ dir, cache }: Command): Promise<void> {
  const cluster = await requireCluster(dir);
  const rows = await statusOf(cluster, partsOf(cluster, await locate(programsOf(cluster), cache)));
  console.log(statusTable(rows));
  if (rows.some(({ state }) => state !== 'works')) process.exitCode = 1;
}

async function loadCommand({ dir, parameters }: Command): Promise<void> {
  const holder = findHolder(await requireCluster(dir));
  if (!holder) throw new PlainError('images can be loaded only while the node runs: npm run cluster -- up');
  await loadImages(
    holder,
    parameters.map((path) => resolve(path)),
  );
}

async function buildCommand({ cache, parameters, flags }: Command): Promise<void> {
  await requireMachine({ building: true, node: false, install: flags.install || process.env.CI === 'true' });
  const modules = parameters[0] === 'e2e' ? [END_TO_END] : [...CONTROL_PLANE, ...NODE];
  const built = await build(modules, cache);
  for (const path of Object.values(built)) console.log(path);
}

async function eachPart({ dir, cache, parameters }: Command, work: (cluster: Cluster, part: Part) => Promise<void>) {
  const cluster = await requireCluster(dir);
  const parts = partsOf(cluster, await locate(programsOf(cluster), cache));
  if (parameters.length === 0) throw new PlainError(`name a part: ${parts.map(({ name }) => name).join(', ')}`);
  for (const name of parameters) {
    const part = parts.find((each) => each.name === name);
    if (!part)
      throw new PlainError(`there is no part "${name}": choose of ${parts.map((each) => each.name).join(', ')}`);
    await work(cluster, part);
  }
}

async function startHealthy(cluster: Cluster, part: Part): Promise<void> {
  await startPart(cluster, part);
  if (await until(() => isPartHealthy(cluster, part), HEALTHY_WITHIN_MS)) return;
  throw new PlainError(`${part.name} runs, but does not work after ${HEALTHY_WITHIN_MS / 1000} s`);
}

function runningPid(cluster: Cluster, part: Part): number {
  const process = findPart(cluster, part);
  if (!process) throw new PlainError(`${part.name} does not run`);
  return process.pid;
}

async function requireCluster(dir: string): Promise<Cluster> {
  const cluster = await readSettings(dir);
  if (!cluster) throw new PlainError(`there is no cluster in ${dir}: npm run cluster -- up`);
  return cluster;
}
