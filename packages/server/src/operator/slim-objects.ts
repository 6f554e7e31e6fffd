import type { ObjectMeta } from '@berth/kube/schema/object';
import type { Pod, Secret, SecretFacts, WarningEvent } from './kinds.ts';
import { sha256 } from './sha256.ts';

/** What the caches keep of kinds of which there are many, or which hold what must not lie around in memory. */
export function slimPod({ apiVersion, kind, metadata, spec, status }: Pod): Pod {
  const containers = spec?.containers?.map(({ name, image }) => ({ name, ...(image !== undefined && { image }) }));
  // Which files it mounts: they stay while it is there.
  const volumes = spec?.volumes?.flatMap(({ configMap }) =>
    configMap?.name ? [{ configMap: { name: configMap.name } }] : [],
  );
  const { phase, reason, message, startTime, conditions, initContainerStatuses, containerStatuses } = status ?? {};
  return {
    apiVersion,
    kind,
    metadata: slimMetadata(metadata),
    spec: {
      ...(containers && { containers }),
      ...(spec?.nodeName !== undefined && { nodeName: spec.nodeName }),
      ...(volumes?.length && { volumes }),
    },
    status: {
      ...(phase !== undefined && { phase }),
      ...(reason !== undefined && { reason }),
      ...(message !== undefined && { message }),
      ...(startTime !== undefined && { startTime }),
      ...(conditions && { conditions }),
      ...(initContainerStatuses && { initContainerStatuses }),
      ...(containerStatuses && { containerStatuses }),
    },
  };
}

export function slimSecret({ apiVersion, kind, metadata, data = {} }: Secret): SecretFacts {
  const hashes = Object.fromEntries(Object.entries(data).map(([key, value]) => [key, sha256(value)]));
  return { apiVersion, kind, metadata: slimMetadata(metadata), hashes };
}

export function slimEvent({ apiVersion, kind, metadata, ...event }: WarningEvent): WarningEvent {
  const { involvedObject, reason, message } = event;
  const series = event.series as { lastObservedTime?: string } | undefined;
  const lastTimestamp =
    series?.lastObservedTime ??
    event.lastTimestamp ??
    (event.eventTime as string | undefined) ??
    metadata.creationTimestamp;
  return {
    apiVersion,
    kind,
    metadata: slimMetadata(metadata),
    ...(involvedObject && { involvedObject }),
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message }),
    ...(lastTimestamp && { lastTimestamp }),
  };
}

function slimMetadata(metadata: ObjectMeta): ObjectMeta {
  const { managedFields: _bookkeeping, ...rest } = metadata;
  return rest;
}
