import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Controller, createController } from '../../../client/controller.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../schema/kinds/storage.ts';
import { PERSISTENT_VOLUME, PERSISTENT_VOLUME_CLAIM } from '../../../schema/resources.ts';
import { isKubeError } from '../../../schema/status.ts';
import type { VolumeContext } from './claim-controller.ts';
import { VOLUME_PROTECTION, volumePhase } from './claim-rules.ts';

/** Follows each volume from bound to released, and removes what is to be deleted: first the data, then the object. */
export function createVolumeController(context: VolumeContext): Controller {
  const volumes = context.caches.of<PersistentVolume>(PERSISTENT_VOLUME);
  const claims = context.caches.of<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIM);

  async function reconcile(name: string): Promise<void> {
    const volume = volumes.get(name);
    if (!volume) return;
    const claim = await claimOf(volume);
    const phase = volumePhase(volume, claim);
    if (phase !== volume.status?.phase) {
      const body = { metadata: { uid: volume.metadata.uid }, status: { phase } };
      await context.client.patch(PERSISTENT_VOLUME, { name }, { type: 'merge', body }, { subresource: 'status' });
    }
    if (phase === 'Released' && volume.spec.persistentVolumeReclaimPolicy === 'Delete') await reclaim(volume);
    else if (volume.metadata.deletionTimestamp && phase !== 'Bound') await dropProtection(volume);
  }

  /** The cache may not have a claim yet, and "gone" costs data: the server is asked before it is believed. */
  async function claimOf(volume: PersistentVolume): Promise<PersistentVolumeClaim | undefined> {
    const reference = volume.spec.claimRef;
    if (!reference) return undefined;
    const { namespace, name } = reference;
    const cached = claims.get(`${namespace}/${name}`);
    if (cached && cached.metadata.uid === reference.uid) return cached;
    try {
      return await context.client.get<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIM, { namespace, name });
    } catch (error) {
      if (isKubeError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  async function reclaim(volume: PersistentVolume): Promise<void> {
    const { name, uid } = volume.metadata;
    // Only a directory that we made, under the place where we make them.
    const own = join(context.volumesDirectory, name);
    if (volume.spec.hostPath && resolve(volume.spec.hostPath.path) === resolve(own)) {
      await rm(own, { recursive: true, force: true });
    }
    await context.client.delete(PERSISTENT_VOLUME, { name }, uid ? { preconditions: { uid } } : {});
    await dropProtection(volume);
  }

  async function dropProtection(volume: PersistentVolume): Promise<void> {
    const finalizers = volume.metadata.finalizers ?? [];
    if (!finalizers.includes(VOLUME_PROTECTION)) return;
    const rest = finalizers.filter((finalizer) => finalizer !== VOLUME_PROTECTION);
    const body = { metadata: { uid: volume.metadata.uid, finalizers: rest } };
    try {
      await context.client.patch(PERSISTENT_VOLUME, { name: volume.metadata.name }, { type: 'merge', body });
    } catch (error) {
      if (!isKubeError(error, 'NotFound')) throw error;
    }
  }

  return createController({ ...context, name: 'persistentvolume', reconcile, concurrency: 2 })
    .watches(volumes, ({ metadata }) => [metadata.name])
    .watches(claims, (claim) => {
      const bound = claim.spec.volumeName ? [claim.spec.volumeName] : [];
      const { namespace, name } = claim.metadata;
      const referring = volumes
        .list()
        .filter(({ spec }) => spec.claimRef?.namespace === namespace && spec.claimRef?.name === name);
      return [...bound, ...referring.map(({ metadata }) => metadata.name)];
    });
}
