import { isDeepStrictEqual } from 'node:util';
import { isBerthError } from '@berth/core/errors';
import { type HostRules, normaliseHost } from '@berth/core/host';
import type { Exposure, UserDeploymentSpec } from '@berth/core/user-deployment';
import type { Transaction } from '../db/database.ts';
import { claimHost, releaseHostsExcept } from './host-claims.ts';

/** What became of the hosts that a spec asks for. */
export interface HostGrant {
  granted: string[];
  /** Each with the reason, for people. */
  refused: { host: string; reason: 'InvalidHost' | 'HostTaken'; message: string }[];
}

/** Claims every host of a spec that is free, and gives up those that it no longer asks for. */
export async function claimHostsOf(
  transaction: Transaction,
  { spec, deploymentId, rules, at }: { spec: UserDeploymentSpec; deploymentId: string; rules: HostRules; at: Date },
): Promise<HostGrant> {
  const grant: HostGrant = { granted: [], refused: [] };
  for (const { host } of spec.exposure ?? []) {
    const problem = hostProblem(host, rules);
    if (problem) grant.refused.push({ host, reason: 'InvalidHost', message: problem });
    else if (await claimHost(transaction, { host, deploymentId, at })) grant.granted.push(host);
    else
      grant.refused.push({
        host,
        reason: 'HostTaken',
        message: `${host} is taken by another deployment; choose another host`,
      });
  }
  await releaseHostsExcept(transaction, deploymentId, grant.granted);
  return grant;
}

/**
 * Which hosts of a spec stand beside the main one: those that did before, and new ones that lead where the main one leads. What
 * leads elsewhere is an address that the template itself has more of.
 */
export function aliasesOf(
  spec: UserDeploymentSpec,
  { host, before }: { host: string | undefined; before?: { spec: UserDeploymentSpec; aliases: readonly string[] } },
): string[] {
  const main = spec.exposure?.find((each) => each.host === host);
  const known = new Set((before?.spec.exposure ?? []).map((each) => each.host));
  const aliases = new Set(before?.aliases);
  const isAlias = (each: Exposure) =>
    aliases.has(each.host) || (!known.has(each.host) && isDeepStrictEqual(targetOf(each), main && targetOf(main)));
  return (spec.exposure ?? []).filter((each) => each.host !== host && isAlias(each)).map((each) => each.host);
}

function targetOf({ host: _host, ...target }: Exposure): unknown {
  return target;
}

/** A resource names its hosts in full and in their one spelling: the operator routes exactly what is granted. */
function hostProblem(host: string, rules: HostRules): string | undefined {
  try {
    const normal = normaliseHost(host, rules);
    return normal === host ? undefined : `${host} has to be written as ${normal}`;
  } catch (error) {
    if (isBerthError(error)) return error.message;
    throw error;
  }
}
