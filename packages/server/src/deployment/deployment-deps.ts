import type { HostRules } from '@berth/core/host';
import type { NewId } from '@berth/core/ids';
import type { Clock } from '../clock.ts';
import type { MasterKeys } from '../secret/master-keys.ts';
import type { SecretStore } from '../secret/secret-store.ts';

/** What the rules of deployments use besides a transaction. */
export interface DeploymentDeps {
  clock: Clock;
  newId: NewId;
  secrets: SecretStore;
  /** For fingerprints of requests that may hold secrets. */
  keys: MasterKeys;
  hosts: HostRules;
  /** The address of a public host. */
  urlOf(host: string): string;
  generateSecret(length: number): string;
}

/** Who changes something, as it is told to people. */
export interface Author {
  userId: string;
  email: string;
}
