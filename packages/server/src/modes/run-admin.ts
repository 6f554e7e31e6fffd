import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { idsFrom } from '@berth/core/ids';
import { createAdministrator } from '../auth/accounts.ts';
import { systemClock } from '../clock.ts';
import type { AdminOptions } from '../configuration/admin-options.ts';
import { migrate } from '../db/migrate.ts';
import { openDatabase } from '../db/pool.ts';
import { guardDatabase } from '../postgres/database-guard.ts';
import { databasePlace, databaseUrl } from '../postgres/place.ts';
import { makeDataDirectory } from '../up/data-paths.ts';
import { lockHolder, takeLock } from '../up/lock.ts';

export interface AdminHost {
  /** Who may vouch for a database that is given, in PEM. */
  databaseAuthority: string | undefined;
  migrationsDirectory: string;
  password(): Promise<string>;
  say(sentence: string): void;
}

/** `berth admin create`: makes an administrator in the database, whether Berth runs at the moment or not. */
export async function runAdmin(options: AdminOptions, host: AdminHost): Promise<void> {
  const password = await host.password();
  const authority = options.databaseUrl === undefined ? undefined : host.databaseAuthority;
  await withDatabase(options, host, async (url) => {
    const database = openDatabase({ url, authority, applicationName: 'berth admin', connections: 1 });
    try {
      await migrate(database, host.migrationsDirectory);
      const maker = { clock: systemClock, newId: idsFrom(randomBytes), defaultPlan: options.plan };
      const { email } = await createAdministrator(database, maker, {
        email: options.email,
        name: options.name,
        password,
      });
      host.say(`${email} is an administrator now and can sign in with that password.`);
    } finally {
      await database.close();
    }
  });
}

/** The running Berth's database; else the one in the data directory, which is started for as long as this takes. */
async function withDatabase(
  options: AdminOptions,
  host: AdminHost,
  work: (url: string) => Promise<void>,
): Promise<void> {
  if (options.databaseUrl !== undefined) return work(options.databaseUrl);
  const paths = makeDataDirectory(options.dataDirectory);
  if (lockHolder(paths)) return work(databaseUrl(databasePlace(paths.root), 'berth'));
  const lock = takeLock(paths);
  try {
    const guard = await guardDatabase({
      place: databasePlace(paths.root),
      databases: ['berth', 'cluster'],
      logFile: join(paths.logs, 'postgres.log'),
      say: host.say,
    });
    try {
      await work(databaseUrl(databasePlace(paths.root), 'berth'));
    } finally {
      await guard.stop({ connectedMayTakeMs: 0 });
    }
  } finally {
    lock.release();
  }
}
