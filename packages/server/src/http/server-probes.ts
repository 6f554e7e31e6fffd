import type { Database } from '../db/database.ts';
import { isDatabaseUnavailable } from '../db/errors.ts';
import { dueMigrations } from '../db/migrate.ts';
import type { Logger } from '../logger.ts';
import type { Draining } from '../processes/draining.ts';
import type { Probe, Probes } from '../processes/probes.ts';
import type { Startup } from '../processes/startup.ts';

export interface ServerProbeDeps {
  database: Database;
  migrationsDirectory?: string | undefined;
  log: Logger;
  startup: Pick<Startup, 'problem'>;
  draining: Pick<Draining, 'active'>;
  /** How this server observes the cluster; undefined until it has reached it. */
  observation(): { leads: boolean; healthy: boolean } | undefined;
  /** Of the process. */
  live: readonly Probe[];
}

/**
 * A server is ready when its database answers with a schema that it can work with, and nobody asked it to stop. The cluster only is told:
 * when it is away it is so for every server, and people can still read, and order what is done once it is back.
 */
export function serverProbes(deps: ServerProbeDeps): Probes {
  const { startup, draining, observation } = deps;
  return {
    live: [{ name: 'ping', problem: () => undefined }, ...deps.live],
    ready: [
      { name: 'startup', problem: () => startup.problem() },
      { name: 'draining', problem: () => (draining.active() ? 'it is about to stop' : undefined) },
      ...databaseProbes(deps),
      { name: 'cluster', tells: true, problem: () => clusterProblem(observation()) },
    ],
  };
}

function clusterProblem(seen: ReturnType<ServerProbeDeps['observation']>): string | undefined {
  if (!seen) return 'it has not been reached yet, or does not know the kinds of Berth';
  return seen.leads && !seen.healthy ? 'what this server sees of it is old' : undefined;
}

function databaseProbes({ database, migrationsDirectory, log }: ServerProbeDeps): Probe[] {
  return [
    {
      name: 'database',
      async problem() {
        try {
          await database.query('select 1 as one');
          return undefined;
        } catch (error) {
          log.warn({ err: error }, 'the database does not answer');
          return 'it does not answer';
        }
      },
    },
    {
      name: 'schema',
      async problem() {
        try {
          const due = await dueMigrations(database, migrationsDirectory);
          return due.length === 0 ? undefined : `the database waits for ${due.join(', ')}`;
        } catch (error) {
          if (isDatabaseUnavailable(error)) return 'the database does not answer';
          log.warn({ err: error }, 'the schema does not fit');
          return 'it does not fit this version; the log says why';
        }
      },
    },
  ];
}
