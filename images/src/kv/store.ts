export type Value =
  | { type: 'string'; text: string }
  | { type: 'list'; items: string[] }
  | { type: 'hash'; fields: Map<string, string> }
  | { type: 'set'; members: Set<string> };
export type ValueType = Value['type'];
export type ValueOf<T extends ValueType> = Extract<Value, { type: T }>;

/** What a command was given does not fit; the text goes to the client as it is. */
export class CommandError extends Error {}

/** Keys, their values and when they end. Time passes only between commands: one command sees one moment. */
export interface Store {
  now(): number;
  get(key: string): Value | undefined;
  /** The value when it has the type; a CommandError when it has another. */
  typed<T extends ValueType>(key: string, type: T): ValueOf<T> | undefined;
  /** Ends no expiry that is set. */
  set(key: string, value: Value): void;
  delete(key: string): boolean;
  expiresAt(key: string): number | undefined;
  expireAt(key: string, at: number | undefined): void;
  keys(): IterableIterator<string>;
  size(): number;
  clear(): void;
  /** Takes away what has ended of some keys; called now and then. */
  sweep(most: number): void;
}

export interface StoreOptions {
  clock: () => number;
  /** A key has ended by itself. While a log is replayed nothing may end, since the log says when it did. */
  onExpired: (key: string) => void;
  replaying: () => boolean;
}

const WRONG_TYPE = 'WRONGTYPE Operation against a key holding the wrong kind of value';

export function createStore({ clock, onExpired, replaying }: StoreOptions): Store {
  const values = new Map<string, Value>();
  const ends = new Map<string, number>();

  function endIfDue(key: string): void {
    const end = ends.get(key);
    if (end === undefined || end > clock() || replaying()) return;
    remove(key);
    onExpired(key);
  }

  function remove(key: string): boolean {
    ends.delete(key);
    return values.delete(key);
  }

  function get(key: string): Value | undefined {
    endIfDue(key);
    return values.get(key);
  }

  return {
    now: clock,
    get,
    typed<T extends ValueType>(key: string, type: T) {
      const value = get(key);
      if (value && value.type !== type) throw new CommandError(WRONG_TYPE);
      return value as ValueOf<T> | undefined;
    },
    set: (key, value) => void values.set(key, value),
    delete(key) {
      endIfDue(key);
      return remove(key);
    },
    expiresAt: (key) => ends.get(key),
    expireAt(key, at) {
      if (at === undefined) ends.delete(key);
      else ends.set(key, at);
    },
    keys: () => values.keys(),
    size: () => values.size,
    clear() {
      values.clear();
      ends.clear();
    },
    sweep(most) {
      let looked = 0;
      for (const key of ends.keys()) {
        if (looked++ >= most) return;
        const end = ends.get(key);
        endIfDue(key);
        // To the back of the line, so that the next sweep looks at others.
        if (end !== undefined && ends.delete(key)) ends.set(key, end);
      }
    },
  };
}
