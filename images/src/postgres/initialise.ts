import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { identifier, type PostgresServer, runProgram, runStatements } from './server-programs.ts';

/** Every connection needs the password, whichever address it comes from. There is no socket to exempt. */
const HOST_RULES = '# Written when the database was made.\nhost all all all scram-sha-256\n';

/**
 * Makes the database the first time. All of it happens in a sibling folder that is renamed into place at the end, so a
 * crash at any instant leaves either nothing (the sibling is removed on the next start) or a whole database.
 */
export async function initialise(server: PostgresServer, names: { user: string; database: string }): Promise<void> {
  const unfinished = `${server.directory}.initialising`;
  await rm(unfinished, { recursive: true, force: true });
  if (existsSync(join(server.directory, 'PG_VERSION'))) return makePrivate(server.directory);
  await refuseForeignFiles(server.directory);
  await mkdir(dirname(unfinished), { recursive: true });

  const making = { ...server, directory: unfinished };
  // initdb wants a first password; a random one stands until the real one is applied before the first listen.
  const throwaway = `${unfinished}.password`;
  await writeFile(throwaway, randomBytes(24).toString('base64url'), { mode: 0o600 });
  try {
    await runProgram(making, 'initdb', { parameters: initParameters(unfinished, names.user, throwaway) });
  } finally {
    await rm(throwaway, { force: true });
  }
  await writeFile(join(unfinished, 'pg_hba.conf'), HOST_RULES, { mode: 0o600 });
  if (names.database !== 'postgres') {
    await runStatements(making, [`CREATE DATABASE ${identifier(names.database)} OWNER ${identifier(names.user)}`]);
  }
  await rename(unfinished, server.directory);
  await syncDirectory(dirname(server.directory));
}

/**
 * Kubernetes opens a volume to the group of its pod, all folders included, when it comes from a snapshot or from another cluster;
 * PostgreSQL does not start on a folder that others may write to.
 */
async function makePrivate(directory: string): Promise<void> {
  await chmod(directory, 0o700);
}

function initParameters(directory: string, user: string, passwordFile: string): string[] {
  return [
    `--pgdata=${directory}`,
    `--username=${user}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
  ];
}

/** A folder with other files in it belongs to somebody; a rename would fail on it with a message that helps nobody. */
async function refuseForeignFiles(directory: string): Promise<void> {
  if (!existsSync(directory)) return;
  const files = await readdir(directory);
  if (files.length === 0) return;
  throw new Error(
    `${directory} holds files but no database (${files
      .slice(0, 3)
      .map((file) => basename(file))
      .join(', ')}): empty it, or set PGDATA to another folder of the volume`,
  );
}

async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
