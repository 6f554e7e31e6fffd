import type { KubeClient } from '../../client/client.ts';
import type { Clock } from '../../client/clock.ts';
import type { Logger } from '../../client/logger.ts';
import type { KubeObject, OwnerReference, ResourceType } from '../../schema/object.ts';
import { apiVersionOf } from '../../schema/object.ts';
import type { Caches } from '../caches.ts';

/** What every builtin controller is given. */
export interface ControllerContext {
  client: KubeClient;
  caches: Caches;
  logger: Logger;
  clock: Clock;
  newId: () => string;
  events: EventSink;
}

export interface EventSink {
  record(about: KubeObject, event: { type: 'Normal' | 'Warning'; reason: string; message: string }): void;
}

export function controllerReference(owner: KubeObject, type: ResourceType): OwnerReference {
  return {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  };
}

export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((owner) => owner.controller === true);
}

export function addressOf(object: KubeObject): { name: string; namespace?: string } {
  const { name, namespace } = object.metadata;
  return namespace ? { name, namespace } : { name };
}

/** Kubernetes writes whole seconds in UTC. */
export function timestamp(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}
