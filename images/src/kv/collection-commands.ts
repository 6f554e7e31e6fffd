import { type CommandTable, integer, NOT_AN_INTEGER, pairsOf, sliceBounds } from './command.ts';
import { OK } from './resp.ts';
import { CommandError, type Store } from './store.ts';

/** Lists, hashes and sets. A collection that becomes empty is no key any more. */
function itemsAt(store: Store, key: string): string[] | undefined {
  return store.typed(key, 'list')?.items;
}

function fieldsAt(store: Store, key: string): Map<string, string> | undefined {
  return store.typed(key, 'hash')?.fields;
}

function membersAt(store: Store, key: string): Set<string> | undefined {
  return store.typed(key, 'set')?.members;
}

function push(add: (items: string[], more: string[]) => void, onlyExisting = false): CommandTable[string] {
  return {
    arity: -3,
    writes: true,
    run(store, [, key = '', ...more]) {
      const items = itemsAt(store, key);
      if (!items && onlyExisting) return 0;
      const list = items ?? [];
      if (!items) store.set(key, { type: 'list', items: list });
      add(list, more);
      return list.length;
    },
  };
}

const addFirst = (items: string[], more: string[]): void => void items.unshift(...more.reverse());
const addLast = (items: string[], more: string[]): void => {
  for (const item of more) items.push(item);
};

function pop(take: (items: string[]) => string | undefined): CommandTable[string] {
  return {
    arity: -2,
    writes: true,
    run(store, [, key = '', count]) {
      const items = itemsAt(store, key);
      if (count === undefined) {
        const item = items && take(items);
        if (items?.length === 0) store.delete(key);
        return item;
      }
      if (integer(count) < 0) throw new CommandError('ERR value is out of range, must be positive');
      if (!items) return undefined;
      const taken = Array.from({ length: Math.min(integer(count), items.length) }, () => take(items) ?? '');
      if (items.length === 0) store.delete(key);
      return taken;
    },
  };
}

const LIST_COMMANDS: CommandTable = {
  LPUSH: push(addFirst),
  RPUSH: push(addLast),
  LPUSHX: push(addFirst, true),
  RPUSHX: push(addLast, true),
  LPOP: pop((items) => items.shift()),
  RPOP: pop((items) => items.pop()),
  LLEN: { arity: 2, run: (store, [, key = '']) => itemsAt(store, key)?.length ?? 0 },
  LRANGE: {
    arity: 4,
    run(store, [, key = '', first, last]) {
      const items = itemsAt(store, key) ?? [];
      return items.slice(...sliceBounds(items.length, first, last));
    },
  },
  LINDEX: { arity: 3, run: (store, [, key = '', index]) => itemsAt(store, key)?.at(integer(index)) },
  LSET: {
    arity: 4,
    writes: true,
    run(store, [, key = '', index, item = '']) {
      const items = itemsAt(store, key);
      if (!items) throw new CommandError('ERR no such key');
      const at = integer(index) < 0 ? items.length + integer(index) : integer(index);
      if (at < 0 || at >= items.length) throw new CommandError('ERR index out of range');
      items[at] = item;
      return OK;
    },
  },
  LREM: {
    arity: 4,
    writes: true,
    run(store, [, key = '', count, item = '']) {
      const items = itemsAt(store, key);
      if (!items) return 0;
      const most = Math.abs(integer(count)) || items.length;
      let removed = 0;
      for (let left = items.length; left > 0 && removed < most; left--) {
        const at = integer(count) < 0 ? items.lastIndexOf(item) : items.indexOf(item);
        if (at < 0) break;
        items.splice(at, 1);
        removed += 1;
      }
      if (items.length === 0) store.delete(key);
      return removed;
    },
  },
  LTRIM: {
    arity: 4,
    writes: true,
    run(store, [, key = '', first, last]) {
      const items = itemsAt(store, key);
      if (!items) return OK;
      const kept = items.slice(...sliceBounds(items.length, first, last));
      if (kept.length === 0) store.delete(key);
      else items.splice(0, items.length, ...kept);
      return OK;
    },
  },
};

const HASH_COMMANDS: CommandTable = {
  HSET: {
    arity: -4,
    writes: true,
    run(store, [, key = '', ...words]) {
      const pairs = pairsOf(words, 'hset');
      const known = fieldsAt(store, key);
      const fields = known ?? new Map<string, string>();
      if (!known) store.set(key, { type: 'hash', fields });
      const before = fields.size;
      for (const [name, text] of pairs) fields.set(name, text);
      return fields.size - before;
    },
  },
  HGET: { arity: 3, run: (store, [, key = '', field = '']) => fieldsAt(store, key)?.get(field) },
  HMGET: { arity: -3, run: (store, [, key = '', ...names]) => names.map((name) => fieldsAt(store, key)?.get(name)) },
  HGETALL: { arity: 2, run: (store, [, key = '']) => [...(fieldsAt(store, key) ?? [])].flat() },
  HKEYS: { arity: 2, run: (store, [, key = '']) => [...(fieldsAt(store, key)?.keys() ?? [])] },
  HVALS: { arity: 2, run: (store, [, key = '']) => [...(fieldsAt(store, key)?.values() ?? [])] },
  HLEN: { arity: 2, run: (store, [, key = '']) => fieldsAt(store, key)?.size ?? 0 },
  HEXISTS: { arity: 3, run: (store, [, key = '', field = '']) => (fieldsAt(store, key)?.has(field) ? 1 : 0) },
  HDEL: {
    arity: -3,
    writes: true,
    run(store, [, key = '', ...names]) {
      const fields = fieldsAt(store, key);
      const removed = names.filter((name) => fields?.delete(name)).length;
      if (fields?.size === 0) store.delete(key);
      return removed;
    },
  },
  HINCRBY: {
    arity: 4,
    writes: true,
    run(store, [, key = '', field = '', by]) {
      const known = fieldsAt(store, key);
      const next = integer(known?.get(field) ?? '0') + integer(by);
      if (!Number.isSafeInteger(next)) throw new CommandError(NOT_AN_INTEGER);
      if (known) known.set(field, String(next));
      else store.set(key, { type: 'hash', fields: new Map([[field, String(next)]]) });
      return next;
    },
  },
};

const SET_COMMANDS: CommandTable = {
  SADD: {
    arity: -3,
    writes: true,
    run(store, [, key = '', ...more]) {
      const known = membersAt(store, key);
      const members = known ?? new Set<string>();
      if (!known) store.set(key, { type: 'set', members });
      const before = members.size;
      for (const member of more) members.add(member);
      return members.size - before;
    },
  },
  SREM: {
    arity: -3,
    writes: true,
    run(store, [, key = '', ...gone]) {
      const members = membersAt(store, key);
      const removed = gone.filter((member) => members?.delete(member)).length;
      if (members?.size === 0) store.delete(key);
      return removed;
    },
  },
  SMEMBERS: { arity: 2, run: (store, [, key = '']) => [...(membersAt(store, key) ?? [])] },
  SISMEMBER: { arity: 3, run: (store, [, key = '', member = '']) => (membersAt(store, key)?.has(member) ? 1 : 0) },
  SCARD: { arity: 2, run: (store, [, key = '']) => membersAt(store, key)?.size ?? 0 },
};

export const COLLECTION_COMMANDS: CommandTable = { ...LIST_COMMANDS, ...HASH_COMMANDS, ...SET_COMMANDS };
