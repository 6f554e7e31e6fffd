import { OPERATOR_MANAGER } from '@berth/core/user-deployment';
import type { KubeClient } from '@berth/kube/client/client';
import { deleteExactly } from '@berth/kube/client/owner';
import type { KubeObject } from '@berth/kube/schema/object';
import { isTooLarge, KubeError, type StatusReason } from '@berth/kube/schema/status';
import { type Child, childKey } from './desired/child.ts';
import type { Refusal } from './service-state.ts';
import type { Owned, Situation } from './situation.ts';
import type { StillThere } from './still-there.ts';

/** The server has understood and says no: again without a change will not help, and the person must hear of it. */
const REFUSALS: readonly (StatusReason | undefined)[] = ['Invalid', 'Forbidden', 'BadRequest'];

export interface WriteDependencies {
  client: Pick<KubeClient, 'apply' | 'delete'>;
  stillThere: StillThere;
  signal: AbortSignal;
}

export interface Applied {
  /** What was not there before. */
  created: Child[];
  refusals: Refusal[];
}

/** Applies in order. What builds on something refused is left for later, so that nothing is half there. */
export async function applyChildren(
  children: readonly Child[],
  present: Situation['present'],
  { client, stillThere, signal }: WriteDependencies,
): Promise<Applied> {
  const applied: Applied = { created: [], refusals: [] };
  for (const child of children) {
    if (applied.refusals.some(({ service }) => service === undefined || service === child.service)) continue;
    await stillThere();
    signal.throwIfAborted();
    const before = present.get(childKey(child.type, child.object.metadata.name));
    try {
      await client.apply(child.type, pinned(child.object, before), {
        fieldManager: OPERATOR_MANAGER,
        force: true,
        signal,
      });
      if (!before) applied.created.push(child);
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      if (!REFUSALS.includes(error.reason) && !isTooLarge(error)) throw error;
      const { kind } = child.type;
      applied.refusals.push({ service: child.service, kind, name: child.object.metadata.name, message: error.message });
    }
  }
  return applied;
}

/** Deletes what is ours and no longer wanted; by UID, so that it cannot be another one of the same name. */
export async function prune(
  unwanted: readonly Owned[],
  { client, stillThere, signal }: WriteDependencies,
): Promise<void> {
  for (const { type, object } of unwanted) {
    await stillThere();
    signal.throwIfAborted();
    await deleteExactly(client, type, object);
  }
}

/** With the UID of the object that was seen, an apply cannot make it anew or write to one that took its place. */
function pinned(object: KubeObject, before: KubeObject | undefined): KubeObject {
  const uid = before?.metadata.uid;
  return uid === undefined ? object : { ...object, metadata: { ...object.metadata, uid } };
}
