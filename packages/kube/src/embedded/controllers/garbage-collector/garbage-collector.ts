import type { ObjectAddress } from '../../../client/client.ts';
import { type Controller, createController } from '../../../client/controller.ts';
import type { Reflector } from '../../../client/reflector.ts';
import { apiVersionOf, type KubeObject, type OwnerReference, type ResourceType } from '../../../schema/object.ts';
import { CUSTOM_RESOURCE_DEFINITION } from '../../../schema/resources.ts';
import { isKubeError } from '../../../schema/status.ts';
import { BY_OWNER, BY_UID } from '../../caches.ts';
import { addressOf, type ControllerContext } from '../controller-context.ts';
import { discoverResources, isCollectable } from '../resource-discovery.ts';
import { blocks, FOREGROUND, isDeletingBy, judge, ORPHAN, type OwnerState } from './ownership.ts';

/**
 * Deletes what its owners leave behind. Keys are uids; one reconcile looks at one object in both of its roles:
 *
 *   as an owner      deleted with `Orphan`: dependents lose their reference, then the finalizer goes;
 *                    with `Foreground`: dependents go first, and the finalizer goes when none that blocks is left
 *   as a dependent   when every owner is absent it is deleted. An owner of the same name and another uid is another object
 *
 * The caches may be behind, so an owner that they do not show is asked for by name before anything is deleted on its account.
 */
export interface GarbageCollector {
  controller: Controller;
  /** Finds kinds defined since, and begins to follow them. */
  discover(): Promise<void>;
}

export function createGarbageCollector(context: ControllerContext): GarbageCollector {
  const known = new Map<string, { type: ResourceType; reflector: Reflector }>();
  const controller = createController({ ...context, name: 'garbagecollector', reconcile, concurrency: 4 });

  function find(uid: string): { type: ResourceType; object: KubeObject } | undefined {
    for (const { type, reflector } of known.values()) {
      const object = reflector.byIndex(BY_UID, uid)[0];
      if (object) return { type, object };
    }
    return undefined;
  }

  function dependentsOf(uid: string): { type: ResourceType; object: KubeObject }[] {
    return [...known.values()].flatMap(({ type, reflector }) =>
      reflector.byIndex(BY_OWNER, uid).map((object) => ({ type, object })),
    );
  }

  async function reconcile(uid: string): Promise<void> {
    const found = find(uid);
    if (!found) {
      for (const { object } of dependentsOf(uid)) controller.enqueue(object.metadata.uid ?? '');
      return;
    }
    if (isDeletingBy(ORPHAN, found.object)) await orphanDependents(found);
    else if (isDeletingBy(FOREGROUND, found.object)) await collectForeground(found);
    else await collect(found);
  }

  async function collect({ type, object }: Found): Promise<void> {
    const owners = [];
    for (const reference of object.metadata.ownerReferences ?? []) {
      owners.push({ reference, state: await stateOf(reference, object.metadata.namespace) });
    }
    const verdict = judge(object, owners);
    if (verdict.action === 'delete') {
      const { uid, resourceVersion } = object.metadata;
      // The version guards against a reference that was added since.
      const preconditions = { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) };
      await tolerate(['NotFound'], () =>
        context.client.delete(type, addressOf(object), { propagationPolicy: verdict.propagationPolicy, preconditions }),
      );
    } else if (verdict.action === 'drop references') {
      await dropReferences({ type, object }, verdict.uids);
    }
  }

  async function stateOf(reference: OwnerReference, namespace: string | undefined): Promise<OwnerState> {
    const cached = find(reference.uid)?.object;
    if (cached) return isDeletingBy(FOREGROUND, cached) ? 'deleting in foreground' : 'alive';
    const type = [...known.values()].find(
      (one) => one.type.kind === reference.kind && groupOf(reference) === one.type.group,
    )?.type;
    // A kind we do not know may be one that we were not told of yet: nothing is deleted on a guess.
    if (!type) return 'alive';
    if (type.namespaced && !namespace) return 'absent';
    const live = await getIfPresent(type, {
      name: reference.name,
      ...(type.namespaced && namespace ? { namespace } : {}),
    });
    if (!live || live.metadata.uid !== reference.uid) return 'absent';
    return isDeletingBy(FOREGROUND, live) ? 'deleting in foreground' : 'alive';
  }

  async function getIfPresent(type: ResourceType, at: ObjectAddress): Promise<KubeObject | undefined> {
    try {
      return await context.client.get(type, at);
    } catch (error) {
      if (isKubeError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  async function orphanDependents(owner: Found): Promise<void> {
    const uid = owner.object.metadata.uid ?? '';
    for (const dependent of dependentsOf(uid)) await dropReferences(dependent, [uid]);
    await dropFinalizer(owner, ORPHAN);
  }

  async function collectForeground(owner: Found): Promise<void> {
    const uid = owner.object.metadata.uid ?? '';
    const dependents = dependentsOf(uid);
    for (const { object } of dependents) controller.enqueue(object.metadata.uid ?? '');
    if (!dependents.some(({ object }) => blocks(object, uid))) await dropFinalizer(owner, FOREGROUND);
  }

  async function dropReferences({ type, object }: Found, uids: string[]): Promise<void> {
    const ownerReferences = (object.metadata.ownerReferences ?? []).filter((one) => !uids.includes(one.uid));
    await patchMetadata({ type, object }, { ownerReferences });
  }

  async function dropFinalizer({ type, object }: Found, finalizer: string): Promise<void> {
    const finalizers = (object.metadata.finalizers ?? []).filter((one) => one !== finalizer);
    await patchMetadata({ type, object }, { finalizers });
  }

  async function patchMetadata({ type, object }: Found, change: object): Promise<void> {
    const { uid, resourceVersion } = object.metadata;
    const body = { metadata: { uid, resourceVersion, ...change } };
    await tolerate(['NotFound'], () => context.client.patch(type, addressOf(object), { type: 'merge', body }));
  }

  async function discover(): Promise<void> {
    for (const type of (await discoverResources(context.client)).filter(isCollectable)) {
      const key = `${apiVersionOf(type)}/${type.plural}`;
      if (known.has(key)) continue;
      const reflector = context.caches.of(type);
      known.set(key, { type, reflector });
      controller.watches(reflector, (object) => [
        object.metadata.uid ?? '',
        // An owner that waits for its dependents must hear when the last is gone.
        ...(object.metadata.ownerReferences ?? []).map((owner) => owner.uid),
      ]);
      reflector.start();
    }
  }

  context.caches.of(CUSTOM_RESOURCE_DEFINITION).onChange('garbagecollector', () => {
    discover().catch((err: unknown) => context.logger.warn({ err }, 'discovery for the garbage collector failed'));
  });
  return { controller, discover };
}

interface Found {
  type: ResourceType;
  object: KubeObject;
}

function groupOf(reference: OwnerReference): string {
  const [first = '', second] = reference.apiVersion.split('/');
  return second === undefined ? '' : first;
}

async function tolerate(reasons: ('NotFound' | 'Conflict')[], action: () => Promise<unknown>): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (!reasons.some((reason) => isKubeError(error, reason))) throw error;
  }
}
