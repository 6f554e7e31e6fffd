import { systemClock } from '@berth/kube/client/clock';
import type { Settings } from '../configuration/environment.ts';
import type { MIGRATE_VARIABLES } from '../configuration/process-settings.ts';
import { migrate } from '../db/migrate.ts';
import { openDatabase } from '../db/pool.ts';
import { waitForDatabase } from './prepare-database.ts';

export interface MigrateOptions {
  migrationsDirectory: string;
  waitSeconds: number;
  say(sentence: string): void;
}

/**
 * Brings a database up to date before servers start, where they may not do it themselves. Waits for a database that is not there
 * yet; run twice or by two at once, it is done once.
 */
export async function runMigrate(
  { databaseUrl: url, databaseAuthority: authority }: Settings<typeof MIGRATE_VARIABLES>,
  { migrationsDirectory, waitSeconds, say }: MigrateOptions,
): Promise<void> {
  const database = openDatabase({ url, authority, applicationName: 'berth migrate', connections: 1 });
  let problem = '';
  try {
    await waitForDatabase({
      url,
      timer: systemClock,
      stopping: AbortSignal.timeout(waitSeconds * 1000),
      told({ sentence }) {
        if (sentence !== problem) say(`waiting: ${sentence}`);
        problem = sentence;
      },
      async attempt() {
        const ran = await migrate(database, migrationsDirectory);
        say(
          ran.length === 0 ? 'The database is up to date.' : `The database was brought up to date: ${ran.join(', ')}`,
        );
        return undefined;
      },
    });
  } catch (error) {
    if (!(error instanceof Error && error.name === 'TimeoutError')) throw error;
    throw new Error(`gave up after ${waitSeconds} s: ${problem}`, { cause: error });
  } finally {
    await database.close();
  }
}
