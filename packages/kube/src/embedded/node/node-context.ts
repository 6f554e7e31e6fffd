import type { KubeClient } from '../../client/client.ts';
import type { Clock } from '../../client/clock.ts';
import type { Logger } from '../../client/logger.ts';
import type { Reflector } from '../../client/reflector.ts';
import type { Pod } from '../../schema/kinds/pod.ts';
import type { Service } from '../../schema/kinds/service.ts';
import type { EventSink } from '../controllers/controller-context.ts';
import type { AddressPool } from './address-pool.ts';
import type { ConfigurationSource } from './environment/container-environment.ts';
import type { NodeAddresses } from './environment/field-reference.ts';
import type { ImageCatalogue } from './image-catalogue.ts';
import type { LogLimits } from './logs/container-log.ts';
import type { WorkloadUser } from './process/container-process.ts';
import type { RestartTimings } from './process/restart-backoff.ts';
import type { ClaimDirectory } from './volumes/pod-volumes.ts';

/** What the node gives each of its pods. */
export interface NodeContext {
  client: KubeClient;
  pods: Reflector<Pod>;
  logger: Logger;
  clock: Clock;
  events: EventSink;
  images: ImageCatalogue;
  workloadUser: WorkloadUser | undefined;
  pool: AddressPool;
  addressMode: 'per-pod' | 'shared';
  podsDirectory: string;
  hostsFile: string;
  hostIP: string;
  restart: RestartTimings;
  /** How often a process that is not our child is looked at. */
  pollMs: number;
  logLimits: LogLimits;
  addresses(podIP: string): NodeAddresses;
  source(namespace: string): ConfigurationSource;
  servicesOf(namespace: string): Service[];
  claimDirectory: ClaimDirectory;
  tolerateGone(action: () => Promise<unknown>): Promise<void>;
  onRemoved(uid: string): void;
}
