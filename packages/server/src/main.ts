import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readSettings, SettingsError, type SettingsSource } from './configuration/environment.ts';
import {
  CLUSTER_VARIABLES,
  DATABASE_VARIABLES,
  OPERATOR_VARIABLES,
  ROUTER_VARIABLES,
  SERVER_VARIABLES,
} from './configuration/process-settings.ts';
import { runService, type Service } from './processes/service.ts';
import type { SupervisorChannel } from './processes/supervisor-channel.ts';

/**
 * The one entry point: `main.js MODE`. Here alone the environment is read, a signal is heard and the process ends. Each mode's
 * code is imported only when it is asked for, for a start of five processes is five times what is loaded.
 */
const source: SettingsSource = { environment: process.env, readFile: (path) => readFileSync(path, 'utf8') };

const MODES: Readonly<Record<string, () => Promise<void>>> = {
  up: runUp,
  database: () =>
    serve('The database', DATABASE_VARIABLES, async (settings, channel) => {
      const { runDatabase } = await import('./postgres/run-database.ts');
      return runDatabase(settings, channel.say);
    }),
  router: () =>
    serve('The router', ROUTER_VARIABLES, async (settings) => {
      const { runRouter } = await import('./router/run-router.ts');
      return runRouter(settings);
    }),
};

const [mode = 'up', ...parameters] = process.argv.slice(2);
try {
  const run = MODES[mode];
  if (!run) throw new Error(`there is no mode "${mode}"; the modes are ${Object.keys(MODES).join(', ')}`);
  await run();
} catch (error) {
  console.error(error instanceof SettingsError || error instanceof Error ? error.message : error);
  process.exit(1);
}

/** Settings first: a process that cannot work says so before it waits for anybody. */
async function serve<V extends Parameters<typeof readSettings>[1]>(
  what: string,
  variables: V,
  start: (settings: ReturnType<typeof readSettings<V>>, channel: SupervisorChannel) => Promise<Service>,
): Promise<void> {
  const settings = readSettings(what, variables, source);
  const host = {
    recordFile: process.env.BERTH_RUN_FILE || undefined,
    exit: (code: number) => process.exit(code),
    onSignal: (signal: NodeJS.Signals, listener: () => void) => void process.on(signal, listener),
  };
  await runService(host, (channel) => start(settings, channel));
}

async function runUp(): Promise<void> {
  const { readUpOptions } = await import('./configuration/up-options.ts');
  const { runUntilStopped } = await import('./up/run-until-stopped.ts');
  const options = readUpOptions({ parameters, environment: process.env, currentDirectory: process.cwd() });
  process.exitCode = await runUntilStopped(options, {
    mainFile: fileURLToPath(import.meta.url),
    environment: process.env,
    version: packageVersion(),
    say: (sentence) => console.log(sentence),
    onSignal: (signal, listener) => void process.on(signal, listener),
  });
}

/** From the package.json above this file, in the source tree as in the bundle. */
function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return version;
}
