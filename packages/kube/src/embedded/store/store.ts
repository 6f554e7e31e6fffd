/**
 * The store of the embedded API server.
 *
 * One process owns it, so there is one writer and everything it knows is in memory: reads never wait and a decision to
 * write is a plain synchronous function that sees the newest state of every object. What makes a write durable is a
 * `Journal` (memory: nothing; PostgreSQL: one statement for a whole batch).
 *
 * A write travels like this:
 *
 *   write(address, decide) -> queue -> [decide, one after another, on the head state] -> one journal append
 *     -> committed state, window of events, watchers -> the caller's promise resolves
 *
 * Hence: an acknowledged write is committed; versions are handed out in commit order, so no watcher ever misses or reorders an
 * event; a compare-and-swap never has to retry, since `decide` runs inside the writer.
 *
 * When an append fails its outcome may be unknown (the connection died during the commit). Then nothing more is written until
 * the journal has told which version it holds: the batch is applied if it arrived, refused if it did not.
 */
import type { KubeObject } from '../../schema/object.ts';

export interface StoreAddress {
  /** Plural and group, `deployments.apps`: what the objects of all versions of a kind share. */
  resource: string;
  /** '' for cluster scope. */
  namespace: string;
  name: string;
}

/** One object as it is stored. Shared by everyone who reads: never to be changed. */
export interface StoredRecord {
  readonly address: StoreAddress;
  readonly revision: number;
  readonly object: KubeObject;
  /** The object as JSON, made once: for the journal, for answers and for watchers. */
  readonly json: string;
}

export interface StoreEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly revision: number;
  /** For DELETED, the last state with the version of the deletion. */
  readonly record: StoredRecord;
  /** What a watcher with a selector needs to see an object leave its selection. */
  readonly previous: StoredRecord | undefined;
}

/** A consistent view of all objects. Inside `decide` it is the newest state, earlier writes of the batch included. */
export interface StoreView {
  get(address: StoreAddress): StoredRecord | undefined;
  /** Ordered by namespace, then name. Without a namespace, all. */
  list(resource: string, namespace?: string): StoredRecord[];
}

/**
 * Returns what the object shall be: the very `current` (or something equal) writes nothing, undefined removes. Pure and
 * synchronous; may throw to refuse.
 */
export type Decide = (current: StoredRecord | undefined, view: StoreView) => KubeObject | Removal | undefined;

/** Removes the object, leaving `object` as its last state for watchers. */
export interface Removal {
  removed: KubeObject;
}

export interface WriteResult {
  /** After the write; for a removal the last state. Undefined when there was nothing and nothing was written. */
  record: StoredRecord | undefined;
  /** False when the decision equalled what was there. */
  changed: boolean;
}

export interface Store extends StoreView {
  /** Loads everything. `seal` guards chosen objects at rest; without one all are stored as they are. */
  open(seal?: Seal): Promise<void>;
  /** Compare-and-swap: see `Decide`. Resolves once committed. */
  write(address: StoreAddress, decide: Decide): Promise<WriteResult>;
  /** What `write` would come to, with nothing written: a dry run. */
  preview(address: StoreAddress, decide: Decide): WriteResult;
  /** The version of the newest committed write. */
  revision(): number;
  /** The oldest version that a watch may start from. */
  compacted(): number;
  /**
   * Calls `listener` with every event of the resource after `since`, in order: first those of the window, before this returns.
   * The result ends it. Throws `StoreCompactedError` when the window no longer reaches back that far.
   */
  watch(resource: string, since: number, listener: (event: StoreEvent) => void): () => void;
  /** Forgets events up to and with this version: older watches end in "expired". */
  compact(revision: number): Promise<void>;
  /** Refuses new writes, waits for those under way, frees what the journal holds. */
  close(): Promise<void>;
}

/** Encrypts chosen objects on their way into the journal; the address binds the cipher text to its object. */
export interface Seal {
  seal(address: StoreAddress, json: string): string;
  unseal(address: StoreAddress, text: string): string;
}

export class StoreCompactedError extends Error {
  readonly requested: number;
  readonly compacted: number;

  constructor(requested: number, compacted: number) {
    super(`version ${requested} is older than ${compacted}, the oldest that is kept`);
    this.name = 'StoreCompactedError';
    this.requested = requested;
    this.compacted = compacted;
  }
}

/** The write was not done, or nobody knows yet: the caller may look and try again. */
export class StoreUnavailableError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'StoreUnavailableError';
  }
}
