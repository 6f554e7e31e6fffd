import type { Controller } from '@berth/kube/client/controller';
import { type KubeObject, objectKey } from '@berth/kube/schema/object';
import { PERSISTENT_VOLUME_CLAIM } from '@berth/kube/schema/resources';
import { BY_NAMESPACE, type Caches, deploymentKeys } from './caches.ts';
import type { WarningEvent } from './kinds.ts';

/** What makes a UserDeployment be looked at. */
export function watchForUserDeployments(controller: Controller, caches: Caches): Controller {
  const { userDeployments, children, versions, pods, secrets, namespaces, warnings } = caches;
  // Itself: its spec, its deletion, and what the server grants in its status.
  controller.watches(userDeployments, (each) => [objectKey(each)]);
  // Each child, by its label: what was changed or deleted by hand is repaired, and readiness moves the status.
  for (const cache of children.values()) controller.watches(cache, deploymentKeys);
  // Its last good version: what is brought back when an update fails.
  controller.watches(versions, deploymentKeys);
  // Its pods say why a service does not run, and their end lets a deletion go on.
  controller.watches(pods, deploymentKeys);
  // Its Secrets: pods wait for the version that they carry.
  controller.watches(secrets, deploymentKeys);
  // A namespace becomes a team's after the resource may be there already: the label goes on every child.
  controller.watches(namespaces, ({ metadata }) => userDeployments.byIndex(BY_NAMESPACE, metadata.name).map(objectKey));
  // A warning about a pod or a claim holds what its status does not: why a probe fails, why a volume is not made or mounted.
  controller.watches(warnings, (event) => keysOfSubject(event, caches));
  return controller;
}

/** What makes an ExternalSecret be looked at. */
export function watchForDelivery(controller: Controller, caches: Caches): Controller {
  const { externalSecrets, secretStores, secrets } = caches;
  // Itself: its keys and the version of their values.
  controller.watches(externalSecrets, (each) => [objectKey(each)]);
  // The store of its namespace comes, or moves: whatever failed for it can be delivered now.
  controller.watches(secretStores, ({ metadata }) =>
    externalSecrets.byIndex(BY_NAMESPACE, metadata.namespace ?? '').map(objectKey),
  );
  // The Secret that it made: changed or deleted by hand, it is made again.
  controller.watches(secrets, (secret) => ownersOf(secret, 'ExternalSecret'));
  return controller;
}

function keysOfSubject({ involvedObject = {} }: WarningEvent, { pods, children }: Caches): string[] {
  const { kind = '', namespace, name } = involvedObject;
  const cache = kind === 'Pod' ? pods : kind === PERSISTENT_VOLUME_CLAIM.kind ? children.get(kind) : undefined;
  const subject = cache?.get(`${namespace}/${name}`);
  return subject ? deploymentKeys(subject) : [];
}

function ownersOf({ metadata }: KubeObject, kind: string): string[] {
  const owners = metadata.ownerReferences?.filter((reference) => reference.kind === kind) ?? [];
  return owners.map(({ name }) => `${metadata.namespace}/${name}`);
}
