import { OPERATOR_MANAGER } from '@berth/core/user-deployment';
import { pinnedTo } from '@berth/kube/client/apply';
import type { KubeClient } from '@berth/kube/client/client';
import { deleteExactly } from '@berth/kube/client/owner';
import { isKubeError, isTooLarge, KubeError, type StatusReason } from '@berth/kube/schema/status';
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
  /** Where nothing was seen and something stands all the same. What else its service wants is left for later. */
  taken: Child[];
  refusals: Refusal[];
}

/** Applies in order, each to what was seen or to nothing. What builds on something refused is left for later, so that nothing is half there. */
export async function applyChildren(
  children: readonly Child[],
  present: Situation['present'],
  { client, stillThere, signal }: WriteDependencies,
): Promise<Applied> {
  const applied: Applied = { created: [], taken: [], refusals: [] };
  for (const child of children) {
    const failed = [...applied.refusals, ...applied.taken];
    if (failed.some(({ service }) => service === undefined || service === child.service)) continue;
    await stillThere();
    signal.throwIfAborted();
    const before = present.get(childKey(child.type, child.object.metadata.name));
    try {
      await client.apply(child.type, pinnedTo(child.object, before), {
        fieldManager: OPERATOR_MANAGER,
        force: true,
        signal,
      });
      if (!before) applied.created.push(child);
    } catch (error) {
      if (!before && isKubeError(error, 'Conflict')) {
        applied.taken.push(child);
        continue;
      }
      if (!(error instanceof KubeError)) throw error;
      if (!REFUSALS.includes(error.reason) && !isTooLarge(error)) throw error;
      const { kind } = child.type;
      applied.refusals.push({ service: child.service, kind, name: child.object.metadata.name, message: error.message });
    }
  }
  return applied;
}

/** Deletes what is ours and no longer wanted, as it was seen: not a namesake, nor what somebody has found wanted since. */
export async function prune(
  unwanted: readonly Owned[],
  { client, stillThere, signal }: WriteDependencies,
): Promise<void> {
  for (const { type, object } of unwanted) {
    await stillThere();
    signal.throwIfAborted();
    await deleteExactly(client, type, { object, unchanged: true, signal });
  }
}
