import { statfs } from 'node:fs/promises';
import { formatBytes } from '@berth/core/quantity';
import type { Database } from '../db/database.ts';
import { isSomebodyLeading } from '../deployment/leadership.ts';
import { type Check, type Finding, failure, ok, warning } from './check.ts';

export interface ProcessCheckDeps {
  database: Database;
  /** Of this process; undefined while the cluster has not been reached yet. */
  observation(): Observation | undefined;
  dataDirectory?: string | undefined;
}

export interface Observation {
  /** Another server may observe instead. */
  leads: boolean;
  /** Its copy of the cluster is complete. */
  synced: boolean;
  /** And followed now. */
  healthy: boolean;
}

const LITTLE_BYTES = 2 * 2 ** 30;
const TOO_LITTLE_BYTES = 256 * 2 ** 20;

export function processChecks(deps: ProcessCheckDeps): Check[] {
  const { dataDirectory } = deps;
  const observer: Check = {
    name: 'observer',
    fix: 'Read the log of the server: it says why the cluster is not observed.',
    run: () => observes(deps),
  };
  if (dataDirectory === undefined) return [observer];
  return [
    observer,
    { name: 'disk', fix: `See that ${dataDirectory} is there and can be read.`, run: () => diskSpace(dataDirectory) },
  ];
}

async function observes({ database, observation }: ProcessCheckDeps): Promise<Finding> {
  const fix = 'See whether the cluster answers; what is shown of deployments is old until then.';
  const seen = observation();
  if (seen?.leads) {
    if (seen.healthy) return ok('This server observes the cluster, and its copy is up to date.');
    const message = seen.synced
      ? 'Its copy of the cluster is old: the watch is broken.'
      : 'It is reading the cluster for the first time.';
    return seen.synced ? failure(message, fix) : warning(message, fix);
  }
  if (await isSomebodyLeading(database)) return ok('Another server observes the cluster.');
  return failure('Nobody observes the cluster: what is shown of deployments is old.', fix);
}

async function diskSpace(directory: string): Promise<Finding> {
  const { bavail, blocks, bsize } = await statfs(directory);
  const free = bavail * bsize;
  const message = `${formatBytes(free)} of ${formatBytes(blocks * bsize)} are free for the data directory.`;
  if (free >= LITTLE_BYTES) return ok(message);
  const fix = 'Make room: a database on a full disk stops, and volumes of deployments are on it too.';
  return free >= TOO_LITTLE_BYTES ? warning(message, fix) : failure(message, fix);
}
