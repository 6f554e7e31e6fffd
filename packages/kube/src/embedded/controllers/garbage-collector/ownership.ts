import type { KubeObject, OwnerReference } from '../../../schema/object.ts';

export const FOREGROUND = 'foregroundDeletion';
export const ORPHAN = 'orphan';

/** How an owner stands as one of its dependents sees it. */
export type OwnerState = 'alive' | 'deleting in foreground' | 'absent';

export type Verdict =
  | { action: 'keep' }
  /** All owners are gone, or go and wait for this one. */
  | { action: 'delete'; propagationPolicy: 'Background' | 'Foreground' | 'Orphan' }
  /** One owner lives, so the object stays; the references that lead nowhere go. */
  | { action: 'drop references'; uids: string[] };

/** What becomes of an object, given the state of each of its owners. */
export function judge(object: KubeObject, owners: { reference: OwnerReference; state: OwnerState }[]): Verdict {
  if (object.metadata.deletionTimestamp || owners.length === 0) return { action: 'keep' };
  const alive = owners.filter(({ state }) => state === 'alive');
  const waiting = owners.filter(({ state }) => state === 'deleting in foreground');
  const absent = owners.filter(({ state }) => state === 'absent');
  if (alive.length > 0) {
    const uids = [...absent, ...waiting].map(({ reference }) => reference.uid);
    return uids.length > 0 ? { action: 'drop references', uids } : { action: 'keep' };
  }
  const blocks = waiting.some(({ reference }) => reference.blockOwnerDeletion === true);
  return { action: 'delete', propagationPolicy: blocks ? 'Foreground' : policyOf(object) };
}

/** A policy that the object itself carries as a finalizer is kept. */
function policyOf(object: KubeObject): 'Background' | 'Foreground' | 'Orphan' {
  const finalizers = object.metadata.finalizers ?? [];
  if (finalizers.includes(ORPHAN)) return 'Orphan';
  return finalizers.includes(FOREGROUND) ? 'Foreground' : 'Background';
}

/** Whether a dependent holds back the deletion of its owner. */
export function blocks(dependent: KubeObject, ownerUid: string): boolean {
  return (dependent.metadata.ownerReferences ?? []).some(
    (reference) => reference.uid === ownerUid && reference.blockOwnerDeletion === true,
  );
}

export function isDeletingBy(finalizer: string, object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined && (object.metadata.finalizers ?? []).includes(finalizer);
}
