import { type Clock, delay } from '@berth/kube/client/clock';
import { connectionProblem } from '../db/connection-problem.ts';
import type { Database } from '../db/database.ts';
import { dueMigrations, migrate } from '../db/migrate.ts';
import type { Logger } from '../logger.ts';
import { HopelessError } from '../processes/service.ts';
import type { Startup } from '../processes/startup.ts';

/** What has to be true of the database before a server works with it. */
export interface DatabasePreparation {
  database: Database;
  url: string;
  migrationsDirectory: string;
  /** Whether this process brings the schema up to date; else it waits until somebody has. */
  migrate: boolean;
  /** What comes once the schema is there. Done again when the database goes away meanwhile. */
  afterwards(): Promise<void>;
  startup: Pick<Startup, 'waitsFor'>;
  log: Pick<Logger, 'warn' | 'info'>;
  timer: Clock;
  stopping: AbortSignal;
}

const RETRY_MS = 1_000;

/**
 * Waits for the database and its schema for as long as it takes: that it comes later than the servers is the ordinary case in a
 * cluster. What waiting would not mend is thrown.
 */
export async function prepareDatabase(preparation: DatabasePreparation): Promise<void> {
  const { startup, log, timer, stopping } = preparation;
  let told: string | undefined;
  for (;;) {
    const problem = await attempt(preparation);
    if (problem === undefined) return;
    startup.waitsFor(problem);
    if (problem !== told) log.warn({ problem }, 'the server waits for its database');
    told = problem;
    await delay(timer, RETRY_MS, stopping);
    stopping.throwIfAborted();
  }
}

/** Undefined when all is done; what to wait for otherwise. */
async function attempt(preparation: DatabasePreparation): Promise<string | undefined> {
  const { database, url, migrationsDirectory, log } = preparation;
  try {
    if (preparation.migrate) {
      const ran = await migrate(database, migrationsDirectory);
      if (ran.length > 0) log.info({ migrations: ran }, 'the database was brought up to date');
    } else {
      const due = await dueMigrations(database, migrationsDirectory);
      if (due.length > 0) return `the database waits for ${due.join(', ')}: run "migrate", or set BERTH_MIGRATE=true`;
    }
    await preparation.afterwards();
    return undefined;
  } catch (error) {
    const problem = connectionProblem(error, url);
    if (!problem) throw error;
    if (problem.lasting) throw new HopelessError(problem.sentence, { cause: error });
    return problem.sentence;
  }
}
