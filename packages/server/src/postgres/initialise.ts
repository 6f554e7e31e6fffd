import { spawn } from 'node:child_process';
import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DATABASE_USER, type DatabasePlace } from './place.ts';

/** The socket lies in a folder that only its owner and root may enter, and there is no other way in. */
const ACCESS_RULES = '# Written when the database was made.\nlocal all all trust\n';

/**
 * Makes the database the first time. All of it happens in a sibling folder that is renamed into place at the end: a crash at
 * any instant leaves either nothing (the sibling is removed on the next start) or a whole database.
 */
export async function initialise(place: DatabasePlace, logDescriptor: number): Promise<void> {
  const { dataDirectory, user } = place;
  const unfinished = `${dataDirectory}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  if (existsSync(join(dataDirectory, 'PG_VERSION'))) return checkVersion(place);
  if (existsSync(dataDirectory)) {
    throw new Error(`${dataDirectory} is there but holds no database: move it away, or put its content back`);
  }
  mkdirSync(unfinished, { mode: 0o700 });
  if (user) chownSync(unfinished, user.uid, user.gid);
  await runInitdb({ ...place, dataDirectory: unfinished }, logDescriptor);
  const rules = join(unfinished, 'pg_hba.conf');
  writeFileSync(rules, ACCESS_RULES);
  syncPath(rules);
  renameSync(unfinished, dataDirectory);
  syncPath(dirname(dataDirectory));
}

async function runInitdb({ binaries, dataDirectory, user }: DatabasePlace, logDescriptor: number): Promise<void> {
  const parameters = [
    `--pgdata=${dataDirectory}`,
    `--username=${DATABASE_USER}`,
    '--auth=trust',
    '--encoding=UTF8',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
  ];
  const child = spawn(join(binaries, 'initdb'), parameters, {
    cwd: '/',
    env: { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' },
    stdio: ['ignore', logDescriptor, logDescriptor],
    ...(user && { uid: user.uid, gid: user.gid }),
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  if (code !== 0) throw new Error(`initdb failed with exit code ${code}`);
}

/** The files of one major version cannot be read by another. */
function checkVersion({ dataDirectory, binaries }: DatabasePlace): void {
  const ours = shippedVersion(binaries);
  const found = readFileSync(join(dataDirectory, 'PG_VERSION'), 'utf8').trim();
  if (ours !== undefined && found !== ours) {
    throw new Error(
      `the database in ${dataDirectory} was made by PostgreSQL ${found} and this Berth brings ${ours}: dump it with the old ` +
        'version and load it into a new data directory',
    );
  }
}

/** From the catalogue's own file; undefined where the programs are laid out differently. */
function shippedVersion(binaries: string): string | undefined {
  const file = join(binaries, '..', 'share', 'postgresql', 'postgres.bki');
  if (!existsSync(file)) return undefined;
  return /^# PostgreSQL (\d+)/.exec(readFileSync(file, 'utf8').slice(0, 100))?.[1];
}

function syncPath(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
