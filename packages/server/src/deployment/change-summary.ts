import { isDeepStrictEqual } from 'node:util';
import type { ParameterValue } from '@berth/core/parameter';
import type { UserDeploymentSpec } from '@berth/core/user-deployment';

/** What a revision is made of, for comparing two. */
export interface RevisionState {
  displayName?: string | undefined;
  host?: string | undefined;
  spec: UserDeploymentSpec;
  values: Record<string, ParameterValue>;
}

export interface SummaryInput {
  before: RevisionState;
  after: RevisionState;
  /** Names of secrets whose value was set. */
  changedSecrets: readonly string[];
}

const NAMES_TOLD = 5;

/** What changed, in words, such as `version 1.1.0, title and adminPassword changed`. Names only: never a value. */
export function changeSummary({ before, after, changedSecrets }: SummaryInput): string {
  const parts: string[] = [];
  const version = after.spec.template?.version;
  if (version !== undefined && version !== before.spec.template?.version) parts.push(`version ${version}`);
  const values = changedKeys(before.values, after.values);
  const named = [...values, ...changedSecrets];
  if (before.displayName !== after.displayName) named.unshift('display name');
  if (named.length > 0) parts.push(`${enumerate(named)} changed`);
  if (before.host !== after.host) parts.push(after.host === undefined ? 'address given up' : `address ${after.host}`);
  if (parts.length === 0) parts.push(...serviceChanges(before.spec, after.spec));
  return parts.length > 0 ? parts.join(', ') : 'settings changed';
}

/** For an edit with kubectl, where no form says which value changed: which services, and which part of them. */
function serviceChanges(before: UserDeploymentSpec, after: UserDeploymentSpec): string[] {
  const old = new Map(before.services.map((each) => [each.name, each]));
  const present = new Set(after.services.map((each) => each.name));
  const changes = after.services.flatMap((service) => {
    const previous = old.get(service.name);
    if (!previous) return [`service ${service.name} added`];
    const fields = changedKeys(previous, service);
    return fields.length === 0 ? [] : [`${enumerate(fields)} of ${service.name} changed`];
  });
  const removed = before.services.filter(({ name }) => !present.has(name)).map(({ name }) => `service ${name} removed`);
  const { services: _before, ...restBefore } = before;
  const { services: _after, ...restAfter } = after;
  const rest = changedKeys(restBefore, restAfter);
  return [...changes, ...removed, ...(rest.length > 0 ? [`${enumerate(rest)} changed`] : [])];
}

function changedKeys(before: object, after: object): string[] {
  const old = new Map(Object.entries(before));
  const next = new Map(Object.entries(after));
  const keys = new Set([...old.keys(), ...next.keys()]);
  return [...keys].filter((key) => !isDeepStrictEqual(old.get(key), next.get(key)));
}

function enumerate(names: readonly string[]): string {
  const told = names.slice(0, NAMES_TOLD);
  const more = names.length - told.length;
  if (more > 0) return `${told.join(', ')} and ${more} more`;
  return told.length === 1 ? `${told[0]}` : `${told.slice(0, -1).join(', ')} and ${told.at(-1)}`;
}
