import { migrate } from '../db/migrate.ts';
import { openDatabase } from '../db/pool.ts';

/** Brings a database up to date before servers start, where they may not do it themselves. Returns what it ran. */
export async function runMigrate(url: string, directory: string): Promise<string[]> {
  const database = openDatabase({ url, applicationName: 'berth migrate', connections: 1 });
  try {
    return await migrate(database, directory);
  } finally {
    await database.close();
  }
}
