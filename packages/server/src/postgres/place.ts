import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { canEnter, canRun } from '../reach/reach.ts';
import { sharedCopy } from '../reach/shared-copy.ts';
import { bindFolder, claimSharedFolder, hashOfPath, SHARED_DIRECTORY } from '../reach/shared-folder.ts';
import { type SystemUser, unprivilegedUser } from '../reach/system-user.ts';
import { readJsonFile } from '../up/json-file.ts';
import { installedBinaries } from './binaries.ts';

/**
 * Where a Berth's PostgreSQL lies. Normally all of it is in Berth's own data directory. Two things can forbid that, and both
 * move one part elsewhere and write down where, so that the next start looks in the same place:
 *
 * - The path of a unix socket takes about 100 bytes. A longer one becomes a folder under /tmp that only we may enter.
 * - Started by root, PostgreSQL runs as another user, which cannot enter a folder such as root's home. Then the data
 *   lies in /var/lib/berth, and so does a copy of the programs if they cannot be reached either.
 */
export interface DatabasePlace {
  binaries: string;
  /** PGDATA. */
  dataDirectory: string;
  socketDirectory: string;
  /** Who runs PostgreSQL; undefined for whoever runs Berth. */
  user: SystemUser | undefined;
  /** Where this is written down. */
  recordFile: string;
}

export const DATABASE_USER = 'berth';
const LONGEST_SOCKET_PATH_BYTES = 100;
const SOCKET_NAME = '.s.PGSQL.5432';
const RECORD = 'postgres.json';

interface PlaceRecord {
  /** Relative to the data directory unless it lies outside. */
  dataDirectory: string;
  socketDirectory: string;
  /** The database was made: from then on a missing one is a loss, never a reason to make an empty one. */
  made: boolean;
}

export interface PlaceOptions {
  /** For what root's database user cannot reach. */
  sharedDirectory?: string;
  temporaryDirectory?: string;
}

export function databasePlace(directory: string, options: PlaceOptions = {}): DatabasePlace {
  const root = realpathSync(directory);
  const user = process.getuid?.() === 0 ? unprivilegedUser(DATABASE_USER) : undefined;
  const context = {
    root,
    user,
    identity: hashOfPath(root),
    shared: options.sharedDirectory ?? SHARED_DIRECTORY,
    temporary: options.temporaryDirectory ?? '/tmp',
  };
  const record = readRecord(root);
  const dataDirectory = resolve(root, record?.dataDirectory ?? chooseDataDirectory(context));
  const socketDirectory = resolve(root, chooseSocketDirectory(context));
  if (isAbsolute(inside(root, dataDirectory))) bindFolder(dirname(dataDirectory), root);
  const recordFile = join(root, RECORD);
  const made = record?.made ?? false;
  if (made && !existsSync(join(dataDirectory, 'PG_VERSION'))) {
    throw new Error(
      `the database in ${dataDirectory} is gone: put it back, or remove ${recordFile} to start with an empty one`,
    );
  }
  const found = { dataDirectory: inside(root, dataDirectory), socketDirectory: inside(root, socketDirectory), made };
  writeRecord(recordFile, found);
  return { binaries: reachableBinaries(context), dataDirectory, socketDirectory, user, recordFile };
}

export function recordMade({ recordFile }: DatabasePlace): void {
  const record = JSON.parse(readFileSync(recordFile, 'utf8')) as PlaceRecord;
  writeRecord(recordFile, { ...record, made: true });
}

/** Makes the folders with the owners they need. Apart from `databasePlace`, which others ask only to connect. */
export function preparePlace(place: DatabasePlace): void {
  const { socketDirectory, user } = place;
  mkdirSync(socketDirectory, { recursive: true, mode: 0o700 });
  const found = lstatSync(socketDirectory);
  // Under /tmp anybody could have made it first, to read along.
  const owners = [process.getuid?.(), user?.uid];
  if (!found.isDirectory() || !owners.includes(found.uid)) {
    throw new Error(`${socketDirectory} belongs to somebody else: remove it and start again`);
  }
  if (user) chownSync(socketDirectory, user.uid, user.gid);
  chmodSync(socketDirectory, 0o700);
}

/** `postgres://` with the socket's folder, which may hold any character. */
export function databaseUrl(place: Pick<DatabasePlace, 'socketDirectory'>, database: string): string {
  return `postgres://${DATABASE_USER}@/${database}?host=${encodeURIComponent(place.socketDirectory)}`;
}

interface Context {
  root: string;
  user: SystemUser | undefined;
  identity: string;
  shared: string;
  temporary: string;
}

function chooseDataDirectory({ root, user, shared }: Context): string {
  return !user || canEnter(user, root) ? 'postgres' : join(claimSharedFolder(root, shared), 'postgres');
}

function chooseSocketDirectory({ root, user, temporary, identity }: Context): string {
  const own = join(root, 'socket');
  const fits = Buffer.byteLength(join(own, SOCKET_NAME)) <= LONGEST_SOCKET_PATH_BYTES;
  return fits && (!user || canEnter(user, root)) ? own : join(temporary, `berth-${identity}`);
}

function reachableBinaries({ user, shared }: Context): string {
  const installed = installedBinaries();
  if (!user || canRun(user, join(installed, 'postgres'))) return installed;
  const native = dirname(installed);
  const binaries = join(sharedCopy(native, versionOf(native), shared), 'bin');
  if (canRun(user, join(binaries, 'postgres'))) return binaries;
  throw new Error(
    `the user "${user.name}" can run PostgreSQL neither in ${installed} nor in ${binaries}: make one of them reachable`,
  );
}

function versionOf(native: string): string {
  const { version } = JSON.parse(readFileSync(join(native, '..', 'package.json'), 'utf8')) as { version: string };
  return version;
}

/** One that was cut off still says that there was a database: it is looked for where it would be made. */
function readRecord(root: string): Partial<PlaceRecord> | undefined {
  const file = join(root, RECORD);
  if (!existsSync(file)) return undefined;
  const known = readJsonFile(file) as Partial<PlaceRecord> | undefined;
  return typeof known?.dataDirectory === 'string' ? known : { made: true };
}

function writeRecord(file: string, record: PlaceRecord): void {
  const text = `${JSON.stringify(record, undefined, 2)}\n`;
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  const unfinished = `${file}.new`;
  rmSync(unfinished, { force: true });
  writeFileSync(unfinished, text, { mode: 0o600 });
  renameSync(unfinished, file);
}

function inside(root: string, path: string): string {
  const short = relative(root, path);
  return short.startsWith('..') ? path : short;
}
