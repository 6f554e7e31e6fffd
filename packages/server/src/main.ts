import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import { readSettings, SettingsError, type SettingsSource } from './configuration/environment.ts';
import { keysProblems, serverProblems } from './configuration/problems.ts';
import {
  CLUSTER_VARIABLES,
  DATABASE_VARIABLES,
  GIVEN_DATABASE_VARIABLES,
  KEYS_VARIABLES,
  MIGRATE_VARIABLES,
  OPERATOR_VARIABLES,
  ROUTER_VARIABLES,
  SERVER_VARIABLES,
  WEB_VARIABLES,
} from './configuration/process-settings.ts';
import { runService, type Service, type ServiceControl } from './processes/service.ts';
import { keepHeapSmall } from './processes/small-heap.ts';

/**
 * The one entry point: `main.js MODE`. Here alone the environment is read, a signal is heard and the process ends. Each mode's
 * code is imported only when it is asked for, for a start of five processes is five times what is loaded.
 */
const source: SettingsSource = { environment: process.env, readFile: (path) => readFileSync(path, 'utf8') };

/** From the package.json above this file, in the source tree as in the bundle. */
const version = (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string })
  .version;
/** What the build puts beside this file. */
const beside = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const migrationsDirectory = beside('migrations');

/** Unlike that of any other process, and of a restart of this one: in a container every first process is number 1. */
const identity = (): string => `${hostname()}-${randomBytes(4).toString('hex')}`;

const MODES: Readonly<Record<string, (parameters: string[]) => Promise<void>>> = {
  async up(parameters) {
    const { readUpOptions } = await import('./configuration/up-options.ts');
    const { runUntilStopped } = await import('./up/run-until-stopped.ts');
    const options = readUpOptions({ parameters, environment: process.env, currentDirectory: process.cwd() });
    if (options.databaseUrl !== undefined || options.kubeconfigFile !== undefined) {
      const { checkGivenParts } = await import('./modes/given-parts.ts');
      const { databaseAuthority } = readSettings('berth up', GIVEN_DATABASE_VARIABLES, source);
      await checkGivenParts({ ...options, databaseAuthority });
    }
    process.exitCode = await runUntilStopped(options, {
      mainFile: fileURLToPath(import.meta.url),
      environment: process.env,
      version,
      say: (sentence) => console.log(sentence),
      onSignal: (signal, listener) => void process.on(signal, listener),
    });
  },
  database: () =>
    serve('The database', {
      variables: DATABASE_VARIABLES,
      async start(settings, { channel }) {
        const { runDatabase } = await import('./modes/run-database.ts');
        return runDatabase(settings, channel.say);
      },
    }),
  cluster: () =>
    serve('The cluster', {
      variables: CLUSTER_VARIABLES,
      async start(settings) {
        const { runCluster } = await import('./modes/run-cluster.ts');
        return runCluster(settings, { imagesDirectory: beside('images'), node: process.execPath });
      },
    }),
  server: () =>
    serve('The server', {
      variables: SERVER_VARIABLES,
      problems: serverProblems,
      async start(settings, { stopping }) {
        const { runServer } = await import('./modes/run-server.ts');
        const assets = { webDirectory: beside('web'), templatesDirectory: beside('templates'), migrationsDirectory };
        return runServer(settings, { ...assets, version, instance: identity() }, stopping);
      },
    }),
  operator: () =>
    serve('The operator', {
      variables: OPERATOR_VARIABLES,
      async start(settings, { stopping }) {
        keepHeapSmall();
        const { runOperator } = await import('./modes/run-operator.ts');
        return runOperator(settings, { identity: identity(), version, stopping });
      },
    }),
  web: () =>
    serve('The pages', {
      variables: WEB_VARIABLES,
      async start(settings) {
        const { runWeb } = await import('./modes/run-web.ts');
        return runWeb(settings, beside('web'));
      },
    }),
  router: () =>
    serve('The router', {
      variables: ROUTER_VARIABLES,
      async start(settings) {
        const { runRouter } = await import('./modes/run-router.ts');
        return runRouter(settings);
      },
    }),
  async admin(parameters) {
    const { readAdminOptions } = await import('./configuration/admin-options.ts');
    const { runAdmin } = await import('./modes/run-admin.ts');
    const { askPassword } = await import('./modes/ask-password.ts');
    const given = readSettings('berth admin', GIVEN_DATABASE_VARIABLES, source);
    const environment = { ...process.env, DATABASE_URL: given.databaseUrl };
    const options = readAdminOptions({ parameters, environment, currentDirectory: process.cwd() });
    await runAdmin(options, {
      databaseAuthority: given.databaseAuthority,
      migrationsDirectory,
      password: () => askPassword(process.stdin, process.stderr),
      say: (sentence) => console.log(sentence),
    });
  },
  async migrate() {
    const settings = readSettings('berth migrate', MIGRATE_VARIABLES, source);
    const { runMigrate } = await import('./modes/run-migrate.ts');
    await runMigrate(settings, { migrationsDirectory, waitSeconds: 120, say: (sentence) => console.log(sentence) });
  },
  async keys() {
    const settings = readSettings('berth keys', KEYS_VARIABLES, source);
    const problems = keysProblems(settings);
    if (problems.length > 0) throw new SettingsError('berth keys', problems);
    const { runKeys } = await import('./modes/run-keys.ts');
    await runKeys(settings, (sentence) => console.log(sentence));
  },
};

const [mode = 'up', ...parameters] = process.argv.slice(2);
try {
  const run = MODES[mode];
  if (!run) throw new Error(`there is no mode "${mode}"; the modes are ${Object.keys(MODES).join(', ')}`);
  await run(parameters);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(error instanceof SettingsError ? 2 : 1);
}

interface Process<V extends Parameters<typeof readSettings>[1]> {
  variables: V;
  /** What is wrong with settings that are sound one by one. */
  problems?(settings: ReturnType<typeof readSettings<V>>): readonly string[];
  start(settings: ReturnType<typeof readSettings<V>>, control: ServiceControl): Promise<Service>;
}

/** Settings first: a process that cannot work says so before it waits for anybody. */
async function serve<V extends Parameters<typeof readSettings>[1]>(what: string, described: Process<V>): Promise<void> {
  const settings = readSettings(what, described.variables, source);
  const problems = described.problems?.(settings) ?? [];
  if (problems.length > 0) throw new SettingsError(what, problems);
  const host = {
    recordFile: process.env.BERTH_RUN_FILE || undefined,
    parent: process.send ? process : undefined,
    exit: (code: number) => process.exit(code),
    onSignal: (signal: NodeJS.Signals, listener: () => void) => void process.on(signal, listener),
  };
  await runService(host, (control) => described.start(settings, control));
}
