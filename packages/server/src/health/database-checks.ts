import type { Clock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { schemaIsCurrent } from '../db/migrate.ts';
import type { SecretStore } from '../secret/secret-store.ts';
import { findCurrentTemplates } from '../template/repository.ts';
import { type Check, type Finding, failure, ok, warning } from './check.ts';
import { clockSkew } from './clock-skew.ts';

export interface DatabaseCheckDeps {
  database: Database;
  secrets: SecretStore;
  clock: Clock;
  migrationsDirectory?: string | undefined;
}

const WAITS_LONG_SECONDS = 60;
const WAITS_TOO_LONG_SECONDS = 600;
const ATTEMPTS_UNTIL_STUCK = 3;
const NAMES_TOLD = 3;

export function databaseChecks(deps: DatabaseCheckDeps): Check[] {
  const { database, clock } = deps;
  const fix =
    'See that PostgreSQL runs and that DATABASE_URL is right; the log of the server says why it cannot be reached.';
  return [
    { name: 'database', fix, run: () => reachable(deps) },
    {
      name: 'database clock',
      fix,
      run: () => clockSkew(clock, { of: 'the database', read: () => databaseTime(database), toleranceMs: 0 }),
    },
    { name: 'changes on their way', fix, run: () => outbox(database) },
    {
      name: 'secrets key',
      fix: 'Start the server with the key that these secrets were stored with.',
      run: () => secretsKey(deps),
    },
    { name: 'catalogue', fix, run: () => catalogue(database) },
  ];
}

async function reachable({ database, clock, migrationsDirectory }: DatabaseCheckDeps): Promise<Finding> {
  const before = clock().getTime();
  const [row] = await database.query<{ version: string }>("select current_setting('server_version') as version");
  const took = clock().getTime() - before;
  if (!(await schemaIsCurrent(database, migrationsDirectory))) {
    return failure(
      'Its schema is older than this server.',
      'Start the server again: it brings the database up to date.',
    );
  }
  return ok(`PostgreSQL ${row?.version} answers in ${took} ms and has the schema of this version.`);
}

async function databaseTime(database: Database): Promise<Date | undefined> {
  const [row] = await database.query<{ now: Date }>('select clock_timestamp() as now');
  return row?.now;
}

interface Waiting {
  name: string;
  attempts: number;
  lastError?: string;
  seconds: number;
}

/** What people wanted and the cluster does not have yet. */
async function outbox(database: Database): Promise<Finding> {
  const waiting = await database.query<Waiting>(
    `select t.namespace || '/' || d.name as name, o.attempts, o.last_error,
       extract(epoch from clock_timestamp() - o.enqueued_at)::float8 as seconds
     from outbox o join deployments d on d.id = o.deployment_id join teams t on t.id = d.team_id order by o.enqueued_at`,
  );
  const stuck = waiting.filter(({ attempts }) => attempts >= ATTEMPTS_UNTIL_STUCK);
  const [first] = stuck;
  if (first) {
    const names = stuck.slice(0, NAMES_TOLD).map(({ name }) => name);
    const more = stuck.length > names.length ? ` and ${stuck.length - names.length} more` : '';
    return failure(
      `The cluster does not take ${names.join(', ')}${more}: ${first.lastError ?? 'no reason is known'}`,
      'Mend what it says; the server tries again by itself.',
    );
  }
  const oldest = Math.round(waiting[0]?.seconds ?? 0);
  if (oldest < WAITS_LONG_SECONDS) {
    return ok(
      waiting.length === 0 ? 'Nothing waits for the cluster.' : `${waiting.length} on their way, none for long.`,
    );
  }
  const message = `${waiting.length} wait for the cluster, the oldest for ${oldest} s.`;
  const fix = 'See whether the cluster answers; the log of the server says what it is waiting for.';
  return oldest < WAITS_TOO_LONG_SECONDS ? warning(message, fix) : failure(message, fix);
}

/** The newest value opens: with another key none would. */
async function secretsKey({ database, secrets }: DatabaseCheckDeps): Promise<Finding> {
  const [newest] = await database.query<{ teamId: string; path: string; key: string }>(
    'select team_id, path, key from secrets order by updated_at desc limit 1',
  );
  if (!newest) return ok('No secret is stored yet.');
  await secrets.get(database, newest);
  return ok('Stored secrets open with the key of this server.');
}

async function catalogue(database: Database): Promise<Finding> {
  const { length } = await findCurrentTemplates(database, {});
  if (length > 0) return ok(`${length} templates are offered.`);
  return failure(
    'The catalogue is empty: nothing can be deployed.',
    'Start the server again with its folder of templates; its log says why it loaded none.',
  );
}
