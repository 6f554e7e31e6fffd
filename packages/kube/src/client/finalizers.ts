import type { KubeObject, ResourceType } from '../schema/object.ts';
import { isKubeError } from '../schema/status.ts';
import type { KubeClient } from './client.ts';

export function hasFinalizer(object: KubeObject, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) ?? false;
}

/**
 * Returns the object with the finalizer. Before anything is made outside of the object: what was made earlier would be left
 * over when the object goes meanwhile. Throws Conflict when the object is not the newest, since the list is written whole.
 */
export async function addFinalizer<T extends KubeObject>(
  client: Pick<KubeClient, 'patch'>,
  type: ResourceType,
  { object, finalizer, signal }: { object: T; finalizer: string; signal?: AbortSignal },
): Promise<T> {
  if (hasFinalizer(object, finalizer)) return object;
  const finalizers = [...(object.metadata.finalizers ?? []), finalizer];
  return writeFinalizers<T>(client, type, { object, finalizers, signal });
}

/** Only once everything that it guards has gone: the server may remove the object for good at that instant. */
export async function removeFinalizer(
  client: Pick<KubeClient, 'patch'>,
  type: ResourceType,
  { object, finalizer, signal }: { object: KubeObject; finalizer: string; signal?: AbortSignal },
): Promise<void> {
  if (!hasFinalizer(object, finalizer)) return;
  const finalizers = object.metadata.finalizers?.filter((one) => one !== finalizer) ?? [];
  try {
    await writeFinalizers(client, type, { object, finalizers, signal });
  } catch (error) {
    if (!isKubeError(error, 'NotFound')) throw error;
  }
}

/** The version is compared by the server: neither a namesake nor another's finalizer is ever touched. */
function writeFinalizers<T extends KubeObject>(
  client: Pick<KubeClient, 'patch'>,
  type: ResourceType,
  { object, finalizers, signal }: { object: T; finalizers: string[]; signal: AbortSignal | undefined },
): Promise<T> {
  const { name, namespace, resourceVersion } = object.metadata;
  const body = { metadata: { resourceVersion, finalizers } };
  const at = { name, ...(namespace && { namespace }) };
  return client.patch<T>(type, at, { type: 'merge', body }, signal && { signal });
}
