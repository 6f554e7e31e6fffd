import type { Queryable, Transaction } from '../db/database.ts';

/**
 * What the applier still has to bring to the cluster: one entry a deployment, written in the transaction that wants it. It
 * says *that* a deployment is to be looked at, never *what* to do: the applier reads the row when it gets to it.
 *
 * A claim is a lease, so nothing is held while the cluster is asked, and that of a process that died becomes free by itself. One
 * deployment has one claimer: an entry written anew meanwhile has another `enqueued_at` and waits; whoever finishes the old
 * claim leaves it there and sets it free.
 */
export const OUTBOX_CHANNEL = 'berth_outbox';
/** How long a deployment waits after its claimer was killed. One that takes longer takes back what it wrote too late. */
const CLAIM_LEASE_SECONDS = 20;
const WRITTEN_ANEW = `on conflict (deployment_id) do update set attempts = 0, not_before = excluded.not_before, last_error = null,
       enqueued_at = excluded.enqueued_at`;

export async function enqueue(transaction: Transaction, deploymentId: string): Promise<void> {
  // The database's clock, to the microsecond, tells one entry from the next; `clock_timestamp` moves within a transaction.
  await transaction.execute(
    `insert into outbox (deployment_id, not_before, enqueued_at) values ($1, clock_timestamp(), clock_timestamp())
     ${WRITTEN_ANEW}`,
    [deploymentId],
  );
  await transaction.execute('select pg_notify($1, $2)', [OUTBOX_CHANNEL, deploymentId]);
}

/**
 * Everything that an organization wants in the cluster: its plan has changed, and with it the namespaces of its teams. The rows are
 * locked first, so that one whose deletion ends at this moment is waited for and passed over.
 */
export async function enqueueOrganization(transaction: Transaction, organizationId: string): Promise<void> {
  await transaction.execute(
    `insert into outbox (deployment_id, not_before, enqueued_at)
     select id, clock_timestamp(), clock_timestamp() from (
       select id from deployments where organization_id = $1 and desired <> 'deleted' order by id for key share) wanted
     ${WRITTEN_ANEW}`,
    [organizationId],
  );
  await transaction.execute('select pg_notify($1, $2)', [OUTBOX_CHANNEL, organizationId]);
}

export async function isEnqueued(queryable: Queryable, deploymentId: string): Promise<boolean> {
  return (await queryable.query('select 1 from outbox where deployment_id = $1', [deploymentId])).length > 0;
}

/** The entry that has been due for longest. Entries that others claim at this moment are passed over. */
export async function claimNext(queryable: Queryable): Promise<ClaimedEntry | undefined> {
  const [entry] = await queryable.query<ClaimedEntry>(
    `update outbox set claimed_until = clock_timestamp() + make_interval(secs => $1)
     where deployment_id = (
       select deployment_id from outbox
       where not_before <= clock_timestamp() and (claimed_until is null or claimed_until <= clock_timestamp())
       order by not_before limit 1 for update skip locked)
     returning deployment_id, attempts, last_error, enqueued_at::text as written, claimed_until::text as claim`,
    [CLAIM_LEASE_SECONDS],
  );
  return entry;
}

export interface ClaimedEntry {
  deploymentId: string;
  attempts: number;
  /** Why the attempt before failed. */
  lastError?: string;
  /** When the entry was written, and until when it is ours. Microseconds matter, so both stay text. */
  written: string;
  claim: string;
}

export async function finish(queryable: Queryable, entry: ClaimedEntry): Promise<void> {
  const { deploymentId, written } = entry;
  const done = await queryable.execute(
    'delete from outbox where deployment_id = $1 and enqueued_at = $2::timestamptz',
    [deploymentId, written],
  );
  if (done === 0) await release(queryable, entry);
}

/** Puts the entry off, keeping why. Returns false when it was written anew meanwhile. */
export async function putOff(
  queryable: Queryable,
  entry: ClaimedEntry,
  failure: { delayMs: number; attempts: number; error: string },
): Promise<boolean> {
  const touched = await queryable.execute(
    `update outbox set attempts = $3, last_error = $4, not_before = clock_timestamp() + make_interval(secs => $5)
     where deployment_id = $1 and enqueued_at = $2::timestamptz`,
    [entry.deploymentId, entry.written, failure.attempts, failure.error, failure.delayMs / 1000],
  );
  await release(queryable, entry);
  return touched > 0;
}

/** Unless it lasted too long and is somebody else's by now. */
async function release(queryable: Queryable, { deploymentId, claim }: ClaimedEntry): Promise<void> {
  await queryable.execute(
    'update outbox set claimed_until = null where deployment_id = $1 and claimed_until = $2::timestamptz',
    [deploymentId, claim],
  );
}
