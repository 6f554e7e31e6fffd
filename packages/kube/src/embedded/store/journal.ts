import type { StoreAddress } from './store.ts';

/** What makes writes durable. Called by one writer, one call at a time. */
export interface Journal {
  /** Everything there is, the events that are still kept included, oldest first. Takes ownership; fails when somebody else has it. */
  load(): Promise<JournalContents>;
  /** Writes all of it or nothing. `expected` is the version the journal must hold before. */
  append(changes: JournalChange[], expected: number): Promise<void>;
  /** The version the journal holds: asked after a failed append, to learn what became of it. */
  revision(): Promise<number>;
  /** Drops the events up to and with this version. */
  compact(revision: number): Promise<void>;
  close(): Promise<void>;
}

export interface JournalContents {
  revision: number;
  compacted: number;
  objects: { address: StoreAddress; revision: number; value: string }[];
  events: JournalChange[];
}

export interface JournalChange {
  address: StoreAddress;
  revision: number;
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** For DELETED, the last state. */
  value: string;
  previous: { revision: number; value: string } | undefined;
}

/** Keeps nothing: what was written is gone with the process. */
export function memoryJournal(): Journal {
  let held = 1;
  return {
    load: async () => ({ revision: held, compacted: held, objects: [], events: [] }),
    append: async (changes) => {
      held = changes.at(-1)?.revision ?? held;
    },
    revision: async () => held,
    compact: async () => undefined,
    close: async () => undefined,
  };
}
