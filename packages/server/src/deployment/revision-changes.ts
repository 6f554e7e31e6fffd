import type { RevisionChange } from '@berth/core/deployment';
import type { ParameterValue } from '@berth/core/parameter';
import type { UserDeploymentSpec } from '@berth/core/user-deployment';
import { exposureInWords, type Facts, jobFacts, serviceFacts, shown } from './spec-facts.ts';

/**
 * The one comparison of two revisions: the page of a revision shows all of it, its summary tells it in a line. Values of secrets
 * are no part of a revision, so of those it says only which were set.
 */
export interface RevisionState {
  displayName?: string | undefined;
  host?: string | undefined;
  aliases?: readonly string[];
  spec: UserDeploymentSpec;
  values: Readonly<Record<string, ParameterValue>>;
}

export interface Comparison {
  before: RevisionState;
  after: RevisionState;
  /** Names of secrets that got a value since. */
  changedSecrets: readonly string[];
  /** How the form calls a parameter. */
  labels?: ReadonlyMap<string, string>;
}

/** What kind of change it is, for who tells it shortly. */
export type Topic =
  | 'version'
  | 'displayName'
  | 'value'
  | 'address'
  | 'alias'
  | 'state'
  | 'paused'
  | 'workload'
  | 'replicas'
  | 'setting';

export interface Difference extends RevisionChange {
  topic: Topic;
  /** Of the value, host, service or job. */
  name: string;
}

const DEPLOYMENT = 'Deployment';
const VALUES = 'Values';

export function compareRevisions(comparison: Comparison): Difference[] {
  const { before, after } = comparison;
  return [
    ...deploymentChanges(before, after),
    ...valueChanges(comparison),
    ...secretChanges(comparison),
    ...workloadChanges(before.spec.services, after.spec.services, {
      subjectOf: (name) => name,
      what: 'service',
      factsOf: serviceFacts,
    }),
    ...workloadChanges(before.spec.jobs ?? [], after.spec.jobs ?? [], {
      subjectOf: (name) => `Job ${name}`,
      what: 'job',
      factsOf: jobFacts,
    }),
  ];
}

function deploymentChanges(before: RevisionState, after: RevisionState): Difference[] {
  const ofDeployment = (topic: Topic, field: string, [old, next]: [string | undefined, string | undefined]) =>
    old === next ? [] : [difference({ topic, name: field, subject: DEPLOYMENT, field, before: old, after: next })];
  const [old, next] = [before.spec, after.spec];
  return [
    ...ofDeployment('setting', 'template', [old.template?.name, next.template?.name]),
    ...ofDeployment('version', 'template version', [old.template?.version, next.template?.version]),
    ...ofDeployment('displayName', 'display name', [before.displayName, after.displayName]),
    ...addressChanges(before, after),
    ...ofDeployment('state', 'state', [old.desired ?? 'running', next.desired ?? 'running']),
    ...ofDeployment('paused', 'updates', [pauseInWords(old), pauseInWords(next)]),
    ...ofDeployment('setting', 'restarted', [old.restartedAt, next.restartedAt]),
  ];
}

function pauseInWords({ paused }: UserDeploymentSpec): string {
  return paused ? 'paused' : 'roll out at once';
}

function addressChanges(before: RevisionState, after: RevisionState): Difference[] {
  const moved =
    before.host === after.host
      ? []
      : [{ topic: 'address' as const, name: after.host ?? '', before: before.host, after: after.host }];
  const aliases = new Set([...(before.aliases ?? []), ...(after.aliases ?? [])]);
  const others = changedFacts(otherAddresses(before), otherAddresses(after)).map(([host, old, next]) => ({
    topic: aliases.has(host) ? ('alias' as const) : ('setting' as const),
    name: host,
    before: old && `${host} (${old})`,
    after: next && `${host} (${next})`,
  }));
  const [from, to] = [mainTarget(before), mainTarget(after)];
  const led =
    from !== undefined && to !== undefined && from !== to
      ? [{ topic: 'setting' as const, name: 'address', before: `leads to ${from}`, after: `leads to ${to}` }]
      : [];
  return [...moved, ...led, ...others].map((each) => difference({ subject: DEPLOYMENT, field: 'address', ...each }));
}

function mainTarget({ host, spec }: RevisionState): string | undefined {
  const main = (spec.exposure ?? []).find((each) => each.host === host);
  return main && exposureInWords(main);
}

function otherAddresses({ host, spec }: RevisionState): Facts {
  const others = (spec.exposure ?? []).filter((each) => each.host !== host);
  return new Map(others.map((each) => [each.host, exposureInWords(each)]));
}

function valueChanges({ before, after, labels }: Comparison): Difference[] {
  return changedFacts(valueFacts(before), valueFacts(after)).map(([name, old, next]) =>
    difference({ topic: 'value', name, subject: VALUES, field: labels?.get(name) ?? name, before: old, after: next }),
  );
}

function valueFacts({ values }: RevisionState): Facts {
  return new Map(Object.entries(values).map(([name, value]) => [name, shown(String(value))]));
}

function secretChanges({ before, after, changedSecrets, labels }: Comparison): Difference[] {
  const [old, next] = [before, after].map(({ spec }) => new Set(spec.secretKeys ?? [])) as [Set<string>, Set<string>];
  const changed = new Set(changedSecrets);
  const secret = (name: string, texts: { before?: string; after?: string }) =>
    difference({ topic: 'value', name, subject: VALUES, field: labels?.get(name) ?? name, ...texts });
  const differences = [...new Set([...old, ...next, ...changed])].flatMap((name) => {
    if (old.has(name) && !next.has(name)) return [secret(name, { before: 'set' })];
    if (!old.has(name)) return [secret(name, { after: 'set' })];
    return changed.has(name) ? [secret(name, { before: 'set', after: 'new value' })] : [];
  });
  // Of older revisions the names were not kept.
  const { secretVersion } = after.spec;
  const someValue =
    differences.length === 0 && secretVersion !== undefined && secretVersion !== before.spec.secretVersion;
  return someValue ? [secret('secrets', { before: 'set', after: 'new values' })] : differences;
}

interface Workload {
  name: string;
  image: string;
}

function workloadChanges<T extends Workload>(
  before: readonly T[],
  after: readonly T[],
  { subjectOf, what, factsOf }: { subjectOf(name: string): string; what: string; factsOf(workload: T): Facts },
): Difference[] {
  const [old, next] = [before, after].map((all) => new Map(all.map((each) => [each.name, each]))) as [
    Map<string, T>,
    Map<string, T>,
  ];
  return [...new Set([...next.keys(), ...old.keys()])].flatMap((name) => {
    const [previous, present] = [old.get(name), next.get(name)];
    const about = { name, subject: subjectOf(name) };
    if (!previous || !present) {
      const images = { before: previous?.image, after: present?.image };
      return [difference({ topic: 'workload', field: what, ...about, ...images })];
    }
    return changedFacts(factsOf(previous), factsOf(present)).map(([field, from, to]) =>
      difference({ topic: field === 'replicas' ? 'replicas' : 'setting', field, ...about, before: from, after: to }),
    );
  });
}

function changedFacts(
  before: Facts,
  after: Facts,
): [field: string, before: string | undefined, after: string | undefined][] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((field) => {
    const [old, next] = [before.get(field), after.get(field)];
    return old === next ? [] : [[field, old, next]];
  });
}

function difference({
  before,
  after,
  ...rest
}: Omit<Difference, 'before' | 'after'> & { before?: string | undefined; after?: string | undefined }): Difference {
  return { ...rest, ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
}
