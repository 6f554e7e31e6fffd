import { type Environment, listenTarget, parsePort, rootedPath, runtimeSettings } from '../runtime/settings.ts';
import { databaseDirectory } from './database-directory.ts';
import { initialise } from './initialise.ts';
import { runPostmaster } from './postmaster.ts';
import { applyPassword } from './role-password.ts';
import { stopStrayPostmaster } from './stray-postmaster.ts';

const environment: Environment = process.env;

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function main(): Promise<number> {
  if (process.getuid?.() === 0) {
    throw new Error('PostgreSQL refuses to run as root: give the container a runAsUser, or the node a workload user');
  }
  const password = environment.POSTGRES_PASSWORD;
  if (!password) throw new Error('POSTGRES_PASSWORD must be set: it is the password of POSTGRES_USER');
  const settings = runtimeSettings(environment);
  const server = {
    binaries: environment.POSTGRES_BIN || '/usr/lib/postgresql/18/bin',
    directory: databaseDirectory(rootedPath(settings, environment.PGDATA || '/var/lib/postgresql/data')),
  };
  const user = environment.POSTGRES_USER || 'postgres';
  const database = environment.POSTGRES_DB || user;
  await stopStrayPostmaster(server.directory);
  await initialise(server, { user, database });
  await applyPassword(server, { user, password });
  return runPostmaster(server, listenTarget(settings, parsePort('PORT', environment.PORT, 5432)));
}
