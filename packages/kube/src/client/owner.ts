import { apiVersionOf, type KubeObject, type OwnerReference, type ResourceType } from '../schema/object.ts';
import type { KubeClient } from './client.ts';

/** What a child carries, so that it goes with its owner and changes of it reach the owner's controller. */
export function controllerReference(owner: KubeObject): OwnerReference {
  const { name, uid } = owner.metadata;
  if (!uid)
    throw new Error(`${owner.kind} ${name} has no uid: only an object that the server has stored can own others`);
  return { apiVersion: owner.apiVersion, kind: owner.kind, name, uid, controller: true, blockOwnerDeletion: true };
}

export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller);
}

/** By uid: a namesake made after the owner was deleted owns nothing of it. */
export function isControlledBy(object: KubeObject, owner: KubeObject): boolean {
  const { uid } = owner.metadata;
  return uid !== undefined && controllerOf(object)?.uid === uid;
}

/** An indexer: children by the uid of their controller. */
export function byControllerUid(object: KubeObject): string[] {
  const uid = controllerOf(object)?.uid;
  return uid === undefined ? [] : [uid];
}

/** For `watches`: maps a child to the key of the owner of this type. */
export function toController(type: ResourceType): (object: KubeObject) => string[] {
  return (object) => {
    const owner = controllerOf(object);
    if (owner?.kind !== type.kind || owner.apiVersion.split('/')[0] !== apiVersionOf(type).split('/')[0]) return [];
    const { namespace } = object.metadata;
    return [type.namespaced && namespace ? `${namespace}/${owner.name}` : owner.name];
  };
}

/** Nothing may be made for an object on its way out: it would be left over. */
export function isGoing(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

/**
 * Deletes this object and never a namesake made since: the server compares the uid. Done as well when it is gone already. With
 * `unchanged` it goes only as it was seen: a Conflict says that somebody has written to it since.
 */
export async function deleteExactly(
  client: Pick<KubeClient, 'delete'>,
  type: ResourceType,
  { object, unchanged = false, signal }: { object: KubeObject; unchanged?: boolean; signal?: AbortSignal },
): Promise<void> {
  const { name, namespace, uid, resourceVersion } = object.metadata;
  if (!uid) throw new Error(`${object.kind} ${name} has no uid: it cannot be told from a namesake`);
  const preconditions = { uid, ...(unchanged && resourceVersion !== undefined && { resourceVersion }) };
  const options = { preconditions, propagationPolicy: 'Background' as const, ...(signal && { signal }) };
  try {
    await client.delete(type, { name, ...(namespace && { namespace }) }, options);
  } catch (error) {
    // The uid differs: what was to go has gone.
    if (!isUidConflict(error)) throw error;
  }
}

function isUidConflict(error: unknown): boolean {
  return (
    error instanceof Error &&
    /\bUID in (the )?precondition/i.test(error.message) &&
    (error as { code?: unknown }).code === 409
  );
}
