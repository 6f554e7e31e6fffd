import type { KubeObject, ManagedFieldsEntry } from '../../../schema/object.ts';
import { apiVersionOf } from '../../../schema/object.ts';
import { deepEqual } from '../../store/deep-equal.ts';
import { compareFields } from '../fields/compare.ts';
import {
  difference,
  emptySet,
  type FieldSet,
  fromFieldsV1,
  isEmpty,
  toFieldsV1,
  union,
  without,
} from '../fields/field-set.ts';
import { rootSchema } from '../fields/shape.ts';
import type { Kind } from '../kind.ts';
import { timestamp } from './rules.ts';

/** Who owns which field, in `metadata.managedFields`. */
export interface Tracking {
  manager: string;
  now: number;
  subresource?: string;
}

/** The server's own business, nobody owns it. */
const UNOWNED = [
  ['f:apiVersion'],
  ['f:kind'],
  ['f:metadata', 'f:name'],
  ['f:metadata', 'f:namespace'],
  ['f:metadata', 'f:uid'],
  ['f:metadata', 'f:resourceVersion'],
  ['f:metadata', 'f:generation'],
  ['f:metadata', 'f:creationTimestamp'],
  ['f:metadata', 'f:deletionTimestamp'],
  ['f:metadata', 'f:deletionGracePeriodSeconds'],
  ['f:metadata', 'f:selfLink'],
  ['f:metadata', 'f:managedFields'],
];

/** Takes off what a write of this kind to this subresource does not own. */
export function ownable(kind: Kind, set: FieldSet, subresource: string): FieldSet {
  let result = UNOWNED.reduce(without, set);
  if (kind.status && subresource === '') result = without(result, ['f:status']);
  if (subresource === 'status') result = without(result, ['f:spec']);
  // These are in every object, whoever speaks of them.
  for (const name of ['f:metadata', 'f:spec', 'f:status']) {
    const node = result.children.get(name);
    if (node?.member && node.children.size > 0 && (name === 'f:metadata' || !kind.custom))
      result = { ...result, children: new Map(result.children).set(name, { ...node, member: false }) };
  }
  return { ...result, member: false };
}

/** Records an ordinary write: the writer owns what it changed, the others lose it. Sets `object.metadata.managedFields`. */
export function trackUpdate(kind: Kind, object: KubeObject, old: KubeObject | undefined, by: Tracking): void {
  const entries = resets(object) ? [] : (old?.metadata.managedFields ?? []);
  const subresource = by.subresource ?? '';
  const { changed, removed } = compareFields(rootSchema(kind), old ?? bare(kind, object), object);
  const gained = ownable(kind, changed, subresource);
  const lost = union(gained, removed);
  const mine = (entry: ManagedFieldsEntry) =>
    entry.manager === by.manager &&
    entry.operation === 'Update' &&
    entry.apiVersion === apiVersionOf(kind) &&
    (entry.subresource ?? '') === subresource;
  const kept = entries.flatMap((entry) =>
    rewrite(entry, (set) => (mine(entry) ? union(difference(set, removed), gained) : difference(set, lost)), {
      mine: mine(entry),
      now: by.now,
    }),
  );
  if (!entries.some(mine) && !isEmpty(gained))
    kept.push(newEntry(kind, gained, { ...by, subresource, operation: 'Update' }));
  setManagedFields(object, kept);
}

/** A client that sends an empty list wants a clean slate. */
function resets(object: KubeObject): boolean {
  const sent = object.metadata.managedFields;
  return sent !== undefined && (sent.length === 0 || (sent.length === 1 && Object.keys(sent[0]!).length === 0));
}

/** What a new object is compared with. */
function bare({ zero }: Kind, { apiVersion, kind }: KubeObject): KubeObject {
  return { apiVersion, kind, metadata: {} as KubeObject['metadata'], ...zero };
}

/** Changes the set of an entry; an empty one goes, and only the writer's own gets a new time. */
function rewrite(
  entry: ManagedFieldsEntry,
  change: (set: FieldSet) => FieldSet,
  { mine, now }: { mine: boolean; now: number },
): ManagedFieldsEntry[] {
  const set = change(fromFieldsV1(entry.fieldsV1));
  if (isEmpty(set)) return [];
  const fieldsV1 = toFieldsV1(set);
  if (deepEqual(fieldsV1, entry.fieldsV1)) return [entry];
  return [{ ...entry, fieldsV1, ...(mine && { time: timestamp(now) }) }];
}

export function newEntry(
  kind: Kind,
  set: FieldSet,
  by: Tracking & { operation: 'Apply' | 'Update' },
): ManagedFieldsEntry {
  return {
    manager: by.manager,
    operation: by.operation,
    apiVersion: apiVersionOf(kind),
    time: timestamp(by.now),
    fieldsType: 'FieldsV1',
    fieldsV1: toFieldsV1(set),
    ...(by.subresource && { subresource: by.subresource }),
  };
}

export function setManagedFields(object: KubeObject, entries: ManagedFieldsEntry[]): void {
  if (entries.length > 0) object.metadata.managedFields = entries;
  else delete object.metadata.managedFields;
}

export function ownedBy(entry: ManagedFieldsEntry): FieldSet {
  return entry.fieldsV1 ? fromFieldsV1(entry.fieldsV1) : emptySet();
}
