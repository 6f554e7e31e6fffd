import type { Queryable } from '../db/database.ts';

/**
 * Which server holds which shell. A server marks its own every few seconds; one that was killed marks nothing any more, and its
 * shells, which ended with it, count as gone soon after. Times are the database's, so that servers need not agree on the hour.
 */
export interface ShellPlaceRow {
  id: string;
  /** One start of one server. */
  holder: string;
  /** Its internal endpoint. */
  holderUrl: string;
}

/** A person's own name for a shell in a deployment. */
export interface ShellName {
  userId: string;
  deploymentId: string;
  session: string;
}

export const MARK_EVERY_MS = 5_000;
/** Three marks were missed. */
const GONE_AFTER_SECONDS = 16;

const FRESH = `seen_at > clock_timestamp() - make_interval(secs => ${GONE_AFTER_SECONDS})`;

/** Takes the name. False when a shell that may still run has it. */
export async function claimPlace(
  queryable: Queryable,
  { userId, deploymentId, session }: ShellName,
  place: ShellPlaceRow,
): Promise<boolean> {
  const taken = await queryable.execute(
    `insert into shells (id, user_id, deployment_id, session, holder, holder_url, opened_at, seen_at)
     values ($1, $2, $3, $4, $5, $6, clock_timestamp(), clock_timestamp())
     on conflict (user_id, deployment_id, session) do update set id = excluded.id, holder = excluded.holder,
       holder_url = excluded.holder_url, opened_at = excluded.opened_at, seen_at = excluded.seen_at
     where not (shells.${FRESH})`,
    [place.id, userId, deploymentId, session, place.holder, place.holderUrl],
  );
  return taken === 1;
}

/** Undefined when no server that lives holds it. */
export async function findPlace(
  queryable: Queryable,
  { userId, deploymentId, session }: ShellName,
): Promise<ShellPlaceRow | undefined> {
  const [row] = await queryable.query<ShellPlaceRow>(
    `select id, holder, holder_url from shells where user_id = $1 and deployment_id = $2 and session = $3 and ${FRESH}`,
    [userId, deploymentId, session],
  );
  return row;
}

export async function forgetPlace(queryable: Queryable, id: string): Promise<void> {
  await queryable.execute('delete from shells where id = $1', [id]);
}

/** Says that the holder lives, and clears away what others left. */
export async function markPlaces(queryable: Queryable, holder: string): Promise<void> {
  await queryable.execute('update shells set seen_at = clock_timestamp() where holder = $1', [holder]);
  await queryable.execute(`delete from shells where holder <> $1 and not (${FRESH})`, [holder]);
}
