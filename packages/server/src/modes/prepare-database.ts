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
  /** Why it waits. */
  told(sentence: string): void;
  /** Resolves to what to wait for, or to undefined when all is done. */
  attempt(): Promise<string | undefined>;
}

const RETRY_MS = 1_000;

/**
 * Tries until the database does what is wanted: that it comes later than those who need it is the ordinary case in a cluster. What
 * waiting would not mend is thrown.
 */
export async function waitForDatabase({ url, timer, stopping, told, attempt }: DatabaseWait): Promise<void> {
  for (;;) {
    const problem = await attempt().catch((error: unknown) => problemOf(error, url));
    if (problem === undefined) return;
    told(problem);
    await delay(timer, RETRY_MS, stopping);
    stopping.throwIfAborted();
  }
}

function problemOf(error: unknown, url: string): string {
  const problem = connectionProblem(error, url);
  if (!problem) throw error;
  if (problem.lasting) throw new HopelessError(problem.sentence, { cause: error });
  return problem.sentence;
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
    told(problem) {
      startup.waitsFor(problem);
      if (problem !== last) log.warn({ problem }, 'the server waits for its database');
      last = problem;
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
