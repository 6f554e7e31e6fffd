import { volumeClaimName } from '@berth/core/names';
import { quantity } from '@berth/core/quantity';
import type { Service, Volume } from '@berth/core/service';
import { PERSISTENT_VOLUME_CLAIM } from '@berth/kube/schema/resources';
import { type Child, makeChild, type Owner } from './child.ts';

/**
 * A claim only ever grows: Kubernetes refuses to shrink one, and an edit must never cost data. `currentSize` is what the
 * claim asks for now.
 */
export function volumeClaimOf(
  owner: Owner,
  { service, volume, currentSize }: { service: Service; volume: Volume; currentSize: string | undefined },
): Child {
  const keep = currentSize !== undefined && holds(currentSize, volume.size);
  return makeChild(owner, PERSISTENT_VOLUME_CLAIM, {
    name: volumeClaimName(owner.name, service.name, volume.name),
    service: service.name,
    body: {
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: keep ? currentSize : volume.size } },
      },
    },
  });
}

function holds(current: string, wanted: string): boolean {
  try {
    return quantity(current) >= quantity(wanted);
  } catch (error) {
    // Somebody wrote a size in a form that we do not use, such as 1e9: it stays theirs.
    if (error instanceof RangeError) return true;
    throw error;
  }
}
