import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import pg from 'pg';
import { type LogFile, lastLines, openLogFile } from '../processes/log-file.ts';
import { isRunning, type ProcessIdentity } from '../processes/process-identity.ts';
import { createRestartDelay } from '../processes/restart-delay.ts';
import { initialise } from './initialise.ts';
import { DATABASE_USER, type DatabasePlace, preparePlace, recordMade } from './place.ts';
import { findPostmaster, startPostmaster, stopPostmaster } from './postmaster.ts';

/**
 * Keeps one postmaster running on a data directory, whoever started it: one that an earlier guard left behind is adopted
 * when it listens where we would, so that a killed guard costs nobody a connection. It is watched by its pid and start time, not as a
 * child, for an adopted one is none. One that dies is started again and recovers from its log.
 */
export interface DatabaseGuard {
  /** The pid may change whenever the postmaster died. */
  postmaster(): ProcessIdentity;
  /** Lets whoever is still connected finish for a while, then ends it. */
  stop(how: { connectedMayTakeMs: number }): Promise<void>;
  /** For the impatient: ends it now, or while `stop` waits. It recovers on the next start. */
  stopNow(): Promise<void>;
}

export interface DatabaseGuardOptions {
  place: DatabasePlace;
  /** Made when missing. */
  databases: readonly string[];
  logFile: string;
  /** Something a person may want to know. */
  say(sentence: string): void;
}

const READY_WITHIN_MS = 60_000;
const WORKERS_MAY_TAKE_MS = 30_000;
const WATCH_EVERY_MS = 200;
const ROTATE_EVERY_MS = 60_000;
const POLL_MS = 25;

export async function guardDatabase(options: DatabaseGuardOptions): Promise<DatabaseGuard> {
  const { place } = options;
  mkdirSync(dirname(options.logFile), { recursive: true });
  const log = openLogFile(options.logFile);
  preparePlace(place);
  let postmaster = await adopt(options);
  if (!postmaster) {
    await initialise(place, log.descriptor).catch((error: unknown) => {
      throw new Error(`${messageOf(error)}\n${lastLines(log.path, 5).join('\n')}`, { cause: error });
    });
    recordMade(place);
    postmaster = await startPatiently(place, log);
  }
  await makeMissingDatabases(options);

  const state = { postmaster, stopping: false };
  const watching = watch(state, options, log);
  const rotation = setInterval(() => log.rotateIfLarge(), ROTATE_EVERY_MS);
  async function end(how: 'fast' | 'immediate'): Promise<void> {
    state.stopping = true;
    clearInterval(rotation);
    await stopPostmaster(state.postmaster, how);
    await watching;
    log.close();
  }
  return {
    postmaster: () => state.postmaster,
    async stop({ connectedMayTakeMs }) {
      const deadline = performance.now() + connectedMayTakeMs;
      while (!state.stopping && performance.now() < deadline && (await connections(place)) > 0)
        await pause(WATCH_EVERY_MS);
      if (!state.stopping) await end('fast');
    },
    stopNow: () => end('immediate'),
  };
}

/** An earlier postmaster that is sound and listens in our folder; any other is stopped first. */
async function adopt({ place, say }: DatabaseGuardOptions): Promise<ProcessIdentity | undefined> {
  const found = findPostmaster(place.dataDirectory);
  if (!found) return undefined;
  if (found.socketDirectory === place.socketDirectory && (await becomesReady(place, found))) {
    say(`PostgreSQL was still running (process ${found.pid}) and is kept`);
    return { pid: found.pid, started: found.started };
  }
  say(`stopping a PostgreSQL that an earlier start left behind (process ${found.pid})`);
  await stopPostmaster(found);
  return undefined;
}

/** Workers of a postmaster that was killed may take a while to notice; PostgreSQL does not start beside them. */
async function startPatiently(place: DatabasePlace, log: LogFile): Promise<ProcessIdentity> {
  const deadline = performance.now() + WORKERS_MAY_TAKE_MS;
  for (;;) {
    try {
      return await start(place, log);
    } catch (error) {
      if (performance.now() > deadline || !/still in use|already exists/.test(messageOf(error))) throw error;
      await pause(WATCH_EVERY_MS);
    }
  }
}

async function start(place: DatabasePlace, log: LogFile): Promise<ProcessIdentity> {
  const postmaster = startPostmaster(place, log.descriptor);
  if (await becomesReady(place, postmaster)) return postmaster;
  const why = isRunning(postmaster) ? `does not answer within ${READY_WITHIN_MS / 1000} s` : 'ended at once';
  await stopPostmaster(postmaster);
  throw new Error(`PostgreSQL ${why}; its log ${log.path} ends with\n${lastLines(log.path, 5).join('\n')}`);
}

async function watch(
  state: { postmaster: ProcessIdentity; stopping: boolean },
  { place, say }: DatabaseGuardOptions,
  log: LogFile,
): Promise<void> {
  const delay = createRestartDelay();
  let startedAt = performance.now();
  while (!state.stopping) {
    await pause(WATCH_EVERY_MS);
    if (state.stopping || isRunning(state.postmaster)) continue;
    say('PostgreSQL ended unexpectedly and is started again');
    await pause(delay.next(performance.now() - startedAt));
    if (state.stopping) return;
    startedAt = performance.now();
    try {
      state.postmaster = await start(place, log);
    } catch (error) {
      // Workers of the dead postmaster may still be ending; the next round tries again.
      say(messageOf(error));
    }
  }
}

async function becomesReady(place: DatabasePlace, postmaster: ProcessIdentity): Promise<boolean> {
  const deadline = performance.now() + READY_WITHIN_MS;
  while (performance.now() < deadline && isRunning(postmaster)) {
    if (await answers(place)) return true;
    await pause(POLL_MS);
  }
  return false;
}

async function answers(place: DatabasePlace): Promise<boolean> {
  try {
    await withClient(place, (client) => client.query('select 1'));
    return true;
  } catch {
    // Not listening yet, or still recovering: asked again until the deadline.
    return false;
  }
}

async function makeMissingDatabases({ place, databases }: DatabaseGuardOptions): Promise<void> {
  await withClient(place, async (client) => {
    const { rows } = await client.query<{ datname: string }>('select datname from pg_database');
    const there = new Set(rows.map((row) => row.datname));
    for (const name of databases.filter((each) => !there.has(each))) {
      await client.query(`create database ${pg.escapeIdentifier(name)}`);
    }
  });
}

/** Sessions of others; none when it does not answer any more. */
async function connections(place: DatabasePlace): Promise<number> {
  try {
    return await withClient(place, async (client) => {
      const { rows } = await client.query<{ count: number }>(
        "select count(*)::int as count from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
      );
      return rows[0]?.count ?? 0;
    });
  } catch {
    return 0;
  }
}

async function withClient<T>(place: DatabasePlace, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    host: place.socketDirectory,
    user: DATABASE_USER,
    database: 'postgres',
    application_name: 'berth guard',
    connectionTimeoutMillis: 5000,
  });
  // A connection that breaks while idle must not end the process; the query at hand fails on its own.
  client.on('error', ignoreBrokenConnection);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(ignoreBrokenConnection);
  }
}

/** Ending a connection that never came up, or is gone, is what was wanted. */
function ignoreBrokenConnection(): undefined {
  return undefined;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
