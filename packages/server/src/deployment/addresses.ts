import { isDeepStrictEqual } from 'node:util';
import { type FieldError, invalidInput, isBerthError } from '@berth/core/errors';
import { type HostRules, normaliseHost } from '@berth/core/host';
import { exposureOf } from '@berth/core/render';
import type { Template } from '@berth/core/template';
import type { Exposure, UserDeploymentSpec } from '@berth/core/user-deployment';
import type { Queryable, Transaction } from '../db/database.ts';
import type { DeploymentDeps } from './deployment-deps.ts';
import { claimHost, hostTaken, isHostClaimedByOther, releaseHostsExcept } from './host-claims.ts';

/** The public addresses that a form asks for, each in its one spelling. */
export interface Addresses {
  host: string | undefined;
  aliases: string[];
}

export interface AskedAddresses {
  host: string | undefined;
  aliases: readonly string[];
}

/** Throws with the field of every address that cannot be had, whoever asks for it. */
export function checkAddresses(rules: HostRules, template: Template, asked: AskedAddresses): Addresses {
  if (!template.spec.exposure) {
    const none = 'the template answers at no public address';
    if (asked.host) throw invalidInput('The deployment', [{ path: 'host', message: none }]);
    if (asked.aliases.length > 0) throw invalidInput('The deployment', [{ path: 'aliases', message: none }]);
    return { host: undefined, aliases: [] };
  }
  const host = normaliseHost(asked.host ?? '', rules);
  const aliases = normaliseAliases(rules, { host, aliases: asked.aliases });
  const hosts = exposureOf({ template, host, aliases }).map((each) => each.host);
  const fields: FieldError[] = hosts.slice(1 + aliases.length).flatMap((each) => {
    const problem = spellingProblem(each, rules);
    if (problem !== undefined)
      return [{ path: 'host', message: `its address ${each} ${problem}; choose a shorter one` }];
    const at = aliases.indexOf(each);
    return at === -1 ? [] : [{ path: `aliases[${at}]`, message: 'is an address of the template already' }];
  });
  if (fields.length > 0) throw invalidInput('The deployment', fields);
  return { host, aliases };
}

/** Of one that has no template: its aliases lead where its main address leads. */
export function normaliseAliases(rules: HostRules, { host, aliases }: AskedAddresses): string[] {
  const fields: FieldError[] = [];
  const seen = new Set([host]);
  const normal = aliases.map((alias, index) => {
    try {
      const each = normaliseHost(alias, rules);
      if (seen.has(each)) fields.push({ path: `aliases[${index}]`, message: `${each} is there twice` });
      seen.add(each);
      return each;
    } catch (error) {
      if (!isBerthError(error, 'invalid_input')) throw error;
      fields.push({ path: `aliases[${index}]`, message: error.details.fields?.[0]?.message ?? error.message });
      return alias;
    }
  });
  if (fields.length > 0) throw invalidInput('The deployment', fields);
  return normal;
}

function spellingProblem(host: string, rules: HostRules): string | undefined {
  try {
    normaliseHost(host, rules);
    return undefined;
  } catch (error) {
    if (isBerthError(error, 'invalid_input')) return error.details.fields?.[0]?.message ?? error.message;
    throw error;
  }
}

/** Exposures of a spec that comes from no template, with another main address and other aliases. */
export function movedExposure(
  {
    spec,
    host: oldHost,
    aliases: oldAliases,
  }: { spec: UserDeploymentSpec; host?: string | undefined; aliases: readonly string[] },
  { host, aliases }: Addresses,
): Exposure[] | undefined {
  if (host === oldHost && isDeepStrictEqual(aliases, oldAliases)) return spec.exposure;
  const main = spec.exposure?.find((each) => each.host === oldHost);
  if (!main || host === undefined) return spec.exposure;
  const gone = new Set([oldHost, ...oldAliases, host, ...aliases]);
  const others = (spec.exposure ?? []).filter((each) => !gone.has(each.host));
  return [host, ...aliases].map((each): Exposure => ({ ...main, host: each })).concat(others);
}

/** The main one first. */
export function addressesOf({ spec, host }: { spec: UserDeploymentSpec; host?: string | undefined }): Exposure[] {
  const all = spec.exposure ?? [];
  return [...all.filter((each) => each.host === host), ...all.filter((each) => each.host !== host)];
}

export interface HostsWanted {
  deploymentId: string | undefined;
  addresses: Addresses;
  spec: UserDeploymentSpec;
  /** What it asked for until now: it holds those, or waits for them. */
  before?: UserDeploymentSpec;
}

/** Takes every new host of a spec or throws, and gives up those that it no longer asks for. */
export async function takeHosts(
  deps: Pick<DeploymentDeps, 'clock' | 'hosts'>,
  transaction: Transaction,
  wanted: HostsWanted & { deploymentId: string },
): Promise<void> {
  const { deploymentId, spec, before } = wanted;
  // In one order, so that two who want the same two hosts do not wait for each other.
  for (const host of newHosts(wanted).sort()) {
    if (await claimHost(transaction, { host, deploymentId, at: deps.clock() })) continue;
    throw await takenError(deps, transaction, { host, wanted });
  }
  if (!before) return;
  const kept = (spec.exposure ?? []).map(({ host }) => host);
  await releaseHostsExcept(transaction, deploymentId, kept);
}

/** The same without taking them. */
export async function refuseTakenHosts(
  deps: Pick<DeploymentDeps, 'hosts'>,
  queryable: Queryable,
  wanted: HostsWanted,
): Promise<void> {
  for (const host of newHosts(wanted)) {
    if (await isHostClaimedByOther(queryable, host, wanted.deploymentId)) {
      throw await takenError(deps, queryable, { host, wanted });
    }
  }
}

function newHosts({ spec, before }: HostsWanted): string[] {
  const old = new Set((before?.exposure ?? []).map(({ host }) => host));
  return (spec.exposure ?? []).map(({ host }) => host).filter((host) => !old.has(host));
}

async function takenError(
  deps: Pick<DeploymentDeps, 'hosts'>,
  queryable: Queryable,
  { host, wanted: { addresses } }: { host: string; wanted: HostsWanted },
) {
  const at = addresses.aliases.indexOf(host);
  const path = at === -1 ? 'host' : `aliases[${at}]`;
  return hostTaken(queryable, host, { domain: deps.hosts.domain, path, own: at !== -1 || host === addresses.host });
}
