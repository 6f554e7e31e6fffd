import type { KubeClient } from '../../client/client.ts';
import type { Clock } from '../../client/clock.ts';
import type { Logger } from '../../client/logger.ts';
import type { KubeObject } from '../../schema/object.ts';
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

export function addressOf(object: KubeObject): { name: string; namespace?: string } {
  const { name, namespace } = object.metadata;
  return namespace ? { name, namespace } : { name };
}

/** Kubernetes writes whole seconds in UTC. */
export function timestamp(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}
