import type { HostRules } from '@berth/core/host';
import type { NewId } from '@berth/core/ids';
import type { KubeClient } from '@berth/kube/client/client';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import type { Logger } from '../logger.ts';
import type { SecretStore } from '../secret/secret-store.ts';

/** What observing uses. It acts for nobody: what it may change is what these functions change. */
export interface ObserveDeps {
  database: Database;
  client: Pick<KubeClient, 'get' | 'apply' | 'patch'>;
  secrets: SecretStore;
  hosts: HostRules;
  urlOf(host: string): string;
  clock: Clock;
  newId: NewId;
  logger: Logger;
}

export interface Team {
  id: string;
  organizationId: string;
  namespace: string;
}
