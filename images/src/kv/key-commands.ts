import { type CommandTable, globPattern, integer, SYNTAX } from './command.ts';
import { OK, type Reply } from './resp.ts';
import { CommandError, type Store } from './store.ts';

const DEFAULT_SCAN_COUNT = 10;

function live(store: Store): string[] {
  return [...store.keys()].filter((key) => store.get(key) !== undefined);
}

/** A time that has come is a delete. Logged as the moment it ends, since "in ten seconds" is another moment at each replay. */
function expire(toMoment: (store: Store, amount: number) => number): CommandTable[string] {
  return {
    arity: 3,
    writes: true,
    run(store, [, key = '', amount]) {
      const at = toMoment(store, integer(amount));
      if (!store.get(key)) return 0;
      store.expireAt(key, at);
      return 1;
    },
    logAs: (store, [, key = '']) => [['PEXPIREAT', key, String(store.expiresAt(key) ?? 0)]],
  };
}

function remaining(store: Store, key: string, unit: number): number {
  if (!store.get(key)) return -2;
  const end = store.expiresAt(key);
  return end === undefined ? -1 : Math.ceil((end - store.now()) / unit);
}

function rename(store: Store, from: string, to: string): void {
  const value = store.get(from);
  if (!value) throw new CommandError('ERR no such key');
  const end = store.expiresAt(from);
  store.delete(from);
  store.set(to, value);
  store.expireAt(to, end);
}

const remove: CommandTable[string] = {
  arity: -2,
  writes: true,
  run: (store, [, ...keys]) => keys.filter((key) => store.delete(key)).length,
};
const clear: CommandTable[string] = {
  arity: -1,
  writes: true,
  run(store) {
    store.clear();
    return OK;
  },
};

export const KEY_COMMANDS: CommandTable = {
  DEL: remove,
  UNLINK: remove,
  FLUSHALL: clear,
  FLUSHDB: clear,
  EXISTS: { arity: -2, run: (store, [, ...keys]) => keys.filter((key) => store.get(key)).length },
  TYPE: { arity: 2, run: (store, [, key = '']) => ({ simple: store.get(key)?.type ?? 'none' }) },
  DBSIZE: { arity: 1, run: (store) => live(store).length },
  KEYS: {
    arity: 2,
    run(store, [, glob = '']) {
      const pattern = globPattern(glob);
      return live(store).filter((key) => pattern.test(key));
    },
  },
  RANDOMKEY: {
    arity: 1,
    run(store) {
      const keys = live(store);
      return keys[Math.floor(Math.random() * keys.length)];
    },
  },
  SCAN: { arity: -2, run: scan },
  RENAME: {
    arity: 3,
    writes: true,
    run(store, [, from = '', to = '']) {
      rename(store, from, to);
      return OK;
    },
  },
  RENAMENX: {
    arity: 3,
    writes: true,
    run(store, [, from = '', to = '']) {
      if (store.get(from) && store.get(to)) return 0;
      rename(store, from, to);
      return 1;
    },
  },
  EXPIRE: expire((store, seconds) => store.now() + seconds * 1000),
  PEXPIRE: expire((store, milliseconds) => store.now() + milliseconds),
  EXPIREAT: expire((_store, seconds) => seconds * 1000),
  PEXPIREAT: expire((_store, milliseconds) => milliseconds),
  PERSIST: {
    arity: 2,
    writes: true,
    run(store, [, key = '']) {
      if (!store.get(key) || store.expiresAt(key) === undefined) return 0;
      store.expireAt(key, undefined);
      return 1;
    },
  },
  TTL: { arity: 2, run: (store, [, key = '']) => remaining(store, key, 1000) },
  PTTL: { arity: 2, run: (store, [, key = '']) => remaining(store, key, 1) },
};

/** The cursor is how many keys were passed in the order of their making: what stays throughout is seen. */
function scan(store: Store, [, cursor, ...options]: string[]): Reply {
  const from = integer(cursor);
  let [pattern, count, type] = [/^/, DEFAULT_SCAN_COUNT, ''];
  for (let at = 0; at < options.length; at += 2) {
    const value = options[at + 1] ?? '';
    const option = options[at]?.toUpperCase();
    if (option === 'MATCH') pattern = globPattern(value);
    else if (option === 'COUNT') count = Math.max(1, integer(value));
    else if (option === 'TYPE') type = value.toLowerCase();
    else throw new CommandError(SYNTAX);
  }
  const keys = [...store.keys()];
  const window = keys.slice(from, from + count);
  const found = window.filter((key) => {
    const value = store.get(key);
    return value && pattern.test(key) && (type === '' || value.type === type);
  });
  return [from + count < keys.length ? String(from + count) : '0', found];
}
