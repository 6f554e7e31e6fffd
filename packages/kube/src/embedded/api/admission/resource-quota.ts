import type { KubeObject } from '../../../schema/object.ts';
import { formatQuantity, quantityNanos } from '../../../schema/quantity.ts';
import type { StoreView } from '../../store/store.ts';
import { forbidden } from '../errors.ts';
import type { Kind } from '../kind.ts';
import { at } from '../kinds/define.ts';
import { list } from '../kinds/pod-defaults.ts';
import type { AdmissionPlugin } from './admission.ts';

type Amounts = Record<string, bigint>;

const ONE = 1_000_000_000n;
/** Kinds that a quota may count by their bare name. */
const COUNTED = new Set(['configmaps', 'persistentvolumeclaims', 'pods', 'resourcequotas', 'secrets', 'services']);

/**
 * What a namespace may use in total. Counted anew from what is there with every write that adds: the store decides one write after
 * another, so that two at once cannot both take the last of it.
 */
export const resourceQuota: AdmissionPlugin = {
  name: 'ResourceQuota',
  validate(kind, object, old, { view }) {
    const { namespace, name, uid } = object.metadata;
    if (!kind.namespaced || !namespace) return;
    for (const { object: quota } of view.list('resourcequotas', namespace)) {
      const hard = (at(quota, 'spec', 'hard') ?? {}) as Record<string, string>;
      const wanted = pick(usageOf(kind, object), hard);
      requireAmounts(kind, object, { old, quota, hard });
      const before = old ? usageOf(kind, old) : {};
      const grown = Object.keys(wanted).filter((resource) => wanted[resource]! > (before[resource] ?? 0n));
      if (grown.length === 0) continue;
      const used = usedIn(view, { kind, namespace, except: uid });
      const over = grown
        .filter((resource) => (used[resource] ?? 0n) + wanted[resource]! > quantityNanos(hard[resource]))
        .sort();
      if (over.length === 0) continue;
      const text = (amount: (resource: string) => string) =>
        over.map((resource) => `${resource}=${amount(resource)}`).join(',');
      const like = (resource: string, amount: bigint) => formatQuantity(amount, hard[resource]);
      throw forbidden(
        kind,
        name,
        `exceeded quota: ${quota.metadata.name}, requested: ${text((resource) => like(resource, wanted[resource]! - (before[resource] ?? 0n)))}, used: ${text((resource) => like(resource, (used[resource] ?? 0n) + (before[resource] ?? 0n)))}, limited: ${text((resource) => hard[resource]!)}`,
      );
    }
  },
};

/** A quota on cpu or memory makes pods say what they need. */
function requireAmounts(
  kind: Kind,
  object: KubeObject,
  { old, quota, hard }: { old: KubeObject | undefined; quota: KubeObject; hard: Record<string, string> },
): void {
  if (old || kind.plural !== 'pods' || kind.group !== '') return;
  const said = usageOf(kind, object);
  const computed = Object.keys(hard).filter((resource) => /^((requests|limits)\.)?(cpu|memory)$/.test(resource));
  const missing = computed.filter((resource) => said[resource] === undefined).sort();
  if (missing.length === 0) return;
  const container = String(list(at(object, 'spec', 'containers'))[0]?.name);
  throw forbidden(
    kind,
    object.metadata.name,
    `failed quota: ${quota.metadata.name}: must specify ${missing.map((resource) => `${resource} for: ${container}`).join('; ')}`,
  );
}

/** What is used by all objects of the kind, one left out. */
function usedIn(
  view: StoreView,
  { kind, namespace, except }: { kind: Kind; namespace: string; except: string | undefined },
): Amounts {
  const total: Amounts = {};
  for (const { object } of view.list(kind.storage, namespace)) {
    if (object.metadata.uid === except || isOver(kind, object)) continue;
    for (const [resource, amount] of Object.entries(usageOf(kind, object)))
      total[resource] = (total[resource] ?? 0n) + amount;
  }
  return total;
}

function isOver(kind: Kind, object: KubeObject): boolean {
  const phase = at(object, 'status', 'phase');
  return kind.plural === 'pods' && (phase === 'Succeeded' || phase === 'Failed');
}

/** What one object counts for, by the names a quota may use. */
function usageOf(kind: Pick<Kind, 'group' | 'plural'>, object: KubeObject): Amounts {
  const count: Amounts = { [kind.group === '' ? `count/${kind.plural}` : `count/${kind.plural}.${kind.group}`]: ONE };
  if (kind.group !== '') return count;
  if (COUNTED.has(kind.plural)) count[kind.plural] = ONE;
  if (kind.plural === 'pods') return { ...count, ...podUsage(object) };
  const size = kind.plural === 'persistentvolumeclaims' && at(object, 'spec', 'resources', 'requests', 'storage');
  if (size) count['requests.storage'] = quantityNanos(size);
  return count;
}

/** The sum of the containers, or the largest init container where that is more. */
function podUsage(pod: KubeObject): Amounts {
  const usage: Amounts = {};
  for (const part of ['requests', 'limits'] as const) {
    const sum = list(at(pod, 'spec', 'containers'))
      .map((container) => amountsOf(container, part))
      .reduce(add, {});
    for (const container of list(at(pod, 'spec', 'initContainers'))) {
      for (const [name, amount] of Object.entries(amountsOf(container, part)))
        if (amount > (sum[name] ?? 0n)) sum[name] = amount;
    }
    for (const [name, amount] of Object.entries(sum)) {
      usage[`${part}.${name}`] = amount;
      if (part === 'requests' && (name === 'cpu' || name === 'memory')) usage[name] = amount;
    }
  }
  return usage;
}

function amountsOf(container: Record<string, unknown>, part: string): Amounts {
  const amounts = (at(container, 'resources', part) ?? {}) as Record<string, string>;
  return Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, quantityNanos(amount)]));
}

function add(left: Amounts, right: Amounts): Amounts {
  const sum = { ...left };
  for (const [name, amount] of Object.entries(right)) sum[name] = (sum[name] ?? 0n) + amount;
  return sum;
}

function pick(amounts: Amounts, wanted: Record<string, string>): Amounts {
  return Object.fromEntries(Object.entries(amounts).filter(([name]) => Object.hasOwn(wanted, name)));
}
