import { type Clock, delay } from '@berth/kube/client/clock';
import { connectionProblem } from '../db/connection-problem.ts';
import type { Database } from '../db/database.ts';
import { dueMigrations, migrate } from '../db/migrate.ts';
import type { Logger } from '../logger.ts';
import { HopelessError } from '../processes/service.ts';
import type { Startup } from '../processes/startup.ts';

export interface DatabaseWait {
  url: string;
  timer: Clock;
  /** Its reason is thrown. */
  stopping: AbortSignal;
  told(waiting: Waiting): void;
  /** Resolves to what to wait for, or to undefined when all is done. */
  attempt(): Promise<string | undefined>;
}

export interface Waiting {
  /** Why, for those who run Berth. */
  sentence: string;
  /** Why, for everybody who asks. */
  publicly: string;
}

const RETRY_MS = 1_000;

/**
 * Tries until the database does what is wanted: that it comes later than those who need it is the ordinary case in a cluster. What
 * waiting would not mend is thrown.
 */
export async function waitForDatabase({ url, timer, stopping, told, attempt }: DatabaseWait): Promise<void> {
  for (;;) {
    const waiting = await tried(attempt, url);
    if (waiting === undefined) return;
    told(waiting);
    await delay(timer, RETRY_MS, stopping);
    stopping.throwIfAborted();
  }
}

async function tried(attempt: DatabaseWait['attempt'], url: string): Promise<Waiting | undefined> {
  try {
    const sentence = await attempt();
    return sentence === undefined ? undefined : { sentence, publicly: sentence };
  } catch (error) {
    const problem = connectionProblem(error, url);
    if (!problem) throw error;
    if (problem.lasting) throw new HopelessError(problem.sentence, { cause: error });
    return { sentence: problem.sentence, publicly: 'its database cannot be used yet; the log says why' };
  }
}

/** What has to be true of the database before a server works with it. */
export interface DatabasePreparation extends Omit<DatabaseWait, 'told' | 'attempt'> {
  database: Database;
  migrationsDirectory: string;
  /** Whether this process brings the schema up to date; else it waits until somebody has. */
  migrate: boolean;
  /** What comes once the schema is there. Done again when the database goes away meanwhile. */
  afterwards(): Promise<void>;
  startup: Pick<Startup, 'waitsFor'>;
  log: Pick<Logger, 'warn' | 'info'>;
}

export async function prepareDatabase(preparation: DatabasePreparation): Promise<void> {
  const { database, migrationsDirectory, startup, log } = preparation;
  let last: string | undefined;
  await waitForDatabase({
    ...preparation,
    told({ sentence, publicly }) {
      startup.waitsFor(publicly);
      if (sentence !== last) log.warn({ problem: sentence }, 'the server waits for its database');
      last = sentence;
    },
    async attempt() {
      if (preparation.migrate) {
        const ran = await migrate(database, migrationsDirectory);
        if (ran.length > 0) log.info({ migrations: ran }, 'the database was brought up to date');
      } else {
        const due = await dueMigrations(database, migrationsDirectory);
        if (due.length > 0) return `the database waits for ${due.join(', ')}: run "migrate", or set BERTH_MIGRATE=true`;
      }
      await preparation.afterwards();
      return undefined;
    },
  });
}
