import { mkdirSync } from 'node:fs';
import { joinClusterNetwork } from '../runtime/cluster-network.ts';
import { log, messageOf } from '../runtime/log.ts';
import { type Environment, rootedPath, runtimeSettings } from '../runtime/settings.ts';
import { appSettings } from './app-settings.ts';
import { prepareApp } from './node-app.ts';
import { runCommand } from './run-command.ts';
import { openWorkplace } from './workplace.ts';

/** What the build and the app get of our environment; the token of the repository is not among it. */
const PASSED_ON = [
  'NODE_OPTIONS',
  'TMPDIR',
  'HOSTNAME',
  'TZ',
  'NODE_EXTRA_CA_CERTS',
  'PORT',
  'NODE_ENV',
  'LISTEN_ADDRESS',
  'LISTEN_PORTS',
  'CLUSTER_HOSTS_FILE',
  'CLUSTER_NAMESPACE',
  'CLUSTER_ROOT',
  'CONTAINER_ID',
];

const environment: Environment = process.env;
const settings = runtimeSettings(environment);
let stopping = false;
let forward: (signal: NodeJS.Signals) => void = () => process.exit(0);
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    stopping = true;
    forward(signal);
  });
}

try {
  process.exitCode = await main();
} catch (error) {
  log.error(messageOf(error));
  process.exitCode = 1;
}

async function main(): Promise<number> {
  joinClusterNetwork(settings);
  if (environment.TMPDIR) mkdirSync(environment.TMPDIR, { recursive: true });
  const root = rootedPath(settings, environment.WORK_DIRECTORY || '/work');
  const workplace = await openWorkplace(root, environment.PATH ?? '/usr/bin:/bin');
  const passed = Object.fromEntries(
    PASSED_ON.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])),
  );
  workplace.environment = { ...passed, ...workplace.environment };
  const { line, place } = await prepareApp(appSettings(environment), workplace);

  log.info(`start: ${line}`);
  const preload = `--import=${new URL('./preload.mjs', import.meta.url).href}`;
  const options = [preload, place.environment.NODE_OPTIONS].filter(Boolean).join(' ');
  // Frameworks ask for HOST; any address means the pod's, see preload.ts.
  const environmentOfApp = { HOST: '0.0.0.0', ...place.environment, NODE_OPTIONS: options };
  // A node without containers signals everything that runs in the pod; in a container the first process is told alone.
  const isTold = settings.hostsFile !== undefined;
  const app = runCommand(line, { ...place, environment: environmentOfApp }, !isTold);
  forward = (signal) => {
    if (!isTold) app.signal(signal);
  };
  const code = await app.ended;
  if (stopping) log.info('the app has stopped');
  else log.error(`the app ended by itself with exit code ${code}`);
  return stopping ? 0 : code || 1;
}
