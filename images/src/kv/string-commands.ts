import { type CommandTable, integer, NOT_AN_INTEGER, pairsOf, SYNTAX, sliceBounds } from './command.ts';
import { OK, type Reply } from './resp.ts';
import { CommandError, type Store } from './store.ts';

function textAt(store: Store, key: string): string | undefined {
  return store.typed(key, 'string')?.text;
}

/** A value that is set anew has no end. */
function put(store: Store, key: string, text: string): void {
  store.set(key, { type: 'string', text });
  store.expireAt(key, undefined);
}

function change(store: Store, key: string, by: number): number {
  const now = integer(textAt(store, key) ?? '0');
  const next = now + by;
  if (!Number.isSafeInteger(next)) throw new CommandError(NOT_AN_INTEGER);
  store.set(key, { type: 'string', text: String(next) });
  return next;
}

/** What a key is now, in commands that give the same at any time. */
function asIs(store: Store, [, key = '']: string[]): string[][] {
  const value = store.get(key);
  if (value?.type !== 'string') return [];
  const end = store.expiresAt(key);
  return [['SET', key, value.text], ...(end === undefined ? [] : [['PEXPIREAT', key, String(end)]])];
}

function setWithEnd(unit: number): CommandTable[string] {
  return {
    arity: 4,
    writes: true,
    run(store, [name = '', key = '', amount, text = '']) {
      const end = momentAfter(store, integer(amount) * unit, name);
      put(store, key, text);
      store.expireAt(key, end);
      return OK;
    },
    logAs: asIs,
  };
}

function momentAfter(store: Store, milliseconds: number, command: string): number {
  if (milliseconds <= 0) throw new CommandError(`ERR invalid expire time in '${command.toLowerCase()}' command`);
  return store.now() + milliseconds;
}

const counter = (by: (words: string[]) => number, arity: number): CommandTable[string] => ({
  arity,
  writes: true,
  run: (store, words) => change(store, words[1] ?? '', by(words)),
});

export const STRING_COMMANDS: CommandTable = {
  GET: { arity: 2, run: (store, [, key = '']) => textAt(store, key) },
  SET: { arity: -3, writes: true, run: set, logAs: asIs },
  SETEX: setWithEnd(1000),
  PSETEX: setWithEnd(1),
  SETNX: {
    arity: 3,
    writes: true,
    run(store, [, key = '', text = '']) {
      if (store.get(key)) return 0;
      put(store, key, text);
      return 1;
    },
  },
  GETSET: {
    arity: 3,
    writes: true,
    run(store, [, key = '', text = '']) {
      const before = textAt(store, key);
      put(store, key, text);
      return before;
    },
  },
  GETDEL: {
    arity: 2,
    writes: true,
    run(store, [, key = '']) {
      const before = textAt(store, key);
      store.delete(key);
      return before;
    },
  },
  MGET: {
    arity: -2,
    run: (store, [, ...keys]) =>
      keys.map((key) => {
        const value = store.get(key);
        return value?.type === 'string' ? value.text : undefined;
      }),
  },
  MSET: {
    arity: -3,
    writes: true,
    run(store, [, ...words]) {
      for (const [key, text] of pairsOf(words, 'mset')) put(store, key, text);
      return OK;
    },
  },
  MSETNX: {
    arity: -3,
    writes: true,
    run(store, [, ...words]) {
      const pairs = pairsOf(words, 'msetnx');
      if (pairs.some(([key]) => store.get(key))) return 0;
      for (const [key, text] of pairs) put(store, key, text);
      return 1;
    },
  },
  INCR: counter(() => 1, 2),
  DECR: counter(() => -1, 2),
  INCRBY: counter(([, , by]) => integer(by), 3),
  DECRBY: counter(([, , by]) => -integer(by), 3),
  APPEND: {
    arity: 3,
    writes: true,
    run(store, [, key = '', more = '']) {
      const text = (textAt(store, key) ?? '') + more;
      store.set(key, { type: 'string', text });
      return text.length;
    },
  },
  STRLEN: { arity: 2, run: (store, [, key = '']) => (textAt(store, key) ?? '').length },
  GETRANGE: {
    arity: 4,
    run(store, [, key = '', first, last]) {
      const text = textAt(store, key) ?? '';
      return text.slice(...sliceBounds(text.length, first, last));
    },
  },
};

const ENDS: Record<string, { unit: number; absolute: boolean }> = {
  EX: { unit: 1000, absolute: false },
  PX: { unit: 1, absolute: false },
  EXAT: { unit: 1000, absolute: true },
  PXAT: { unit: 1, absolute: true },
};

function set(store: Store, [, key = '', text = '', ...options]: string[]): Reply {
  const wanted = setOptions(store, options);
  const before = wanted.get ? textAt(store, key) : undefined;
  const exists = store.get(key) !== undefined;
  if ((wanted.onlyNew && exists) || (wanted.onlyOld && !exists)) return wanted.get ? before : undefined;
  const end = wanted.keepEnd ? store.expiresAt(key) : wanted.end;
  put(store, key, text);
  store.expireAt(key, end);
  return wanted.get ? before : OK;
}

const FLAGS: Record<string, 'onlyNew' | 'onlyOld' | 'get' | 'keepEnd'> = {
  NX: 'onlyNew',
  XX: 'onlyOld',
  GET: 'get',
  KEEPTTL: 'keepEnd',
};

interface SetOptions {
  onlyNew?: boolean;
  onlyOld?: boolean;
  get?: boolean;
  keepEnd?: boolean;
  end?: number;
}

function setOptions(store: Store, options: string[]): SetOptions {
  const wanted: SetOptions = {};
  for (let at = 0; at < options.length; at++) {
    const option = options[at]?.toUpperCase() ?? '';
    const flag = Object.hasOwn(FLAGS, option) ? FLAGS[option] : undefined;
    const end = Object.hasOwn(ENDS, option) ? ENDS[option] : undefined;
    if (flag) wanted[flag] = true;
    else if (end && wanted.end === undefined) {
      at += 1;
      const amount = integer(options[at]) * end.unit;
      wanted.end = end.absolute ? amount : momentAfter(store, amount, 'set');
    } else throw new CommandError(SYNTAX);
  }
  if ((wanted.onlyNew && wanted.onlyOld) || (wanted.keepEnd && wanted.end !== undefined))
    throw new CommandError(SYNTAX);
  return wanted;
}
