import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Where the cluster of databases lies: in `PGDATA` itself when it has one already, else in a folder inside it. `PGDATA` is
 * usually the mount point of a volume, and a mount point can neither be renamed over nor given the 0700 that PostgreSQL asks for.
 */
export function databaseDirectory(pgdata: string): string {
  return existsSync(join(pgdata, 'PG_VERSION')) ? pgdata : join(pgdata, 'cluster');
}
