import type { Queryable } from '../db/database.ts';

/**
 * Where secret values live. `path` is the owner inside the team: a deployment's id, so that a new deployment of an old name
 * never sees old values. Every call takes the transaction it belongs to; a store outside the database ignores it.
 */
export interface SecretStore {
  /** Sets one value and returns its version, from 1. */
  put(queryable: Queryable, at: SecretLocation, value: string): Promise<number>;
  get(queryable: Queryable, at: SecretLocation): Promise<string | undefined>;
  /** Names only, sorted. */
  list(queryable: Queryable, owner: SecretOwner): Promise<string[]>;
  /** Removes one key, or with no key everything of the owner. What is not there counts as removed. */
  remove(queryable: Queryable, owner: SecretOwner, key?: string): Promise<void>;
}

export interface SecretOwner {
  teamId: string;
  path: string;
}

export interface SecretLocation extends SecretOwner {
  key: string;
}
