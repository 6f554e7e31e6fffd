import { BerthError } from '@berth/core/errors';
import { hostLabel } from '@berth/core/host';
import type { Queryable, Transaction } from '../db/database.ts';
import { freeSuggestion } from './suggestion.ts';

/** Who answers for a public host, platform-wide. The primary key is the lock: of two at the same instant one wins. */
export async function isHostClaimedByOther(
  queryable: Queryable,
  host: string,
  deploymentId: string | undefined,
): Promise<boolean> {
  const rows = await queryable.query(
    'select 1 from host_claims where host = $1 and deployment_id is distinct from $2',
    [host, deploymentId],
  );
  return rows.length > 0;
}

/** True when the deployment holds the host now, whether it did before or not. */
export async function claimHost(
  transaction: Transaction,
  claim: { host: string; deploymentId: string; at: Date },
): Promise<boolean> {
  await transaction.execute(
    'insert into host_claims (host, deployment_id, claimed_at) values ($1, $2, $3) on conflict (host) do nothing',
    [claim.host, claim.deploymentId, claim.at],
  );
  return !(await isHostClaimedByOther(transaction, claim.host, claim.deploymentId));
}

/** Gives up every host of the deployment but these. */
export async function releaseHostsExcept(
  transaction: Transaction,
  deploymentId: string,
  kept: readonly string[],
): Promise<void> {
  await transaction.execute('delete from host_claims where deployment_id = $1 and not (host = any($2))', [
    deploymentId,
    kept,
  ]);
}

/** `own` is false for an address that follows from another: a free one cannot be suggested for that. */
export async function hostTaken(
  queryable: Queryable,
  host: string,
  { domain, path, own = true }: { domain: string; path: string; own?: boolean },
): Promise<BerthError> {
  const suggestion = own ? await freeHost(queryable, host, domain) : undefined;
  const hint = suggestion ? ` ${suggestion} is free.` : own ? '' : ' It goes with the main address: choose another.';
  return new BerthError('host_taken', `The address ${host} is taken.${hint}`, {
    fields: [{ path, message: own ? 'is taken' : `its address ${host} is taken` }],
    ...(suggestion && { suggestion }),
  });
}

async function freeHost(queryable: Queryable, host: string, domain: string): Promise<string | undefined> {
  const label = hostLabel(host, domain);
  const base = label !== host ? label : `${label.split('.')[0]}`;
  const rows = await queryable.query<{ host: string }>('select host from host_claims where starts_with(host, $1)', [
    base.replace(/-\d+$/, ''),
  ]);
  return freeSuggestion(base, new Set(rows.map((row) => hostLabel(row.host, domain))));
}
