import { log, messageOf } from '../runtime/log.ts';
import { COLLECTION_COMMANDS } from './collection-commands.ts';
import type { Command, CommandTable } from './command.ts';
import { KEY_COMMANDS } from './key-commands.ts';
import { failure, type Reply } from './resp.ts';
import { CommandError, createStore, type Store } from './store.ts';
import { STRING_COMMANDS } from './string-commands.ts';

const COMMANDS: CommandTable = { ...KEY_COMMANDS, ...STRING_COMMANDS, ...COLLECTION_COMMANDS };
/** What makes room is allowed when there is none. */
const MAKES_ROOM = new Set(
  'DEL UNLINK FLUSHALL FLUSHDB EXPIRE PEXPIRE EXPIREAT PEXPIREAT GETDEL LPOP RPOP LREM LTRIM HDEL SREM'.split(' '),
);
const SWEPT_KEYS = 1000;
const SNAPSHOT_WORDS = 1000;
const FULL = "OOM command not allowed when used memory > 'maxmemory'.";

/** The data and what can be done with it. */
export interface Engine {
  /** Runs one command, and says what it changed. Never throws. */
  execute(words: string[]): Reply;
  /** Runs several with nothing in between; they are logged as one. */
  executeAll(commands: string[][]): Reply[];
  /** Takes up what a log says. */
  replay(words: string[]): void;
  store: Store;
  /** Takes away what has ended of some keys; to be called now and then. */
  sweep(): void;
  /** Commands that make the data as it is now. */
  snapshot(): Iterable<string[]>;
}

export interface EngineOptions {
  clock: () => number;
  /** What changed, to be kept; one call is all or nothing. */
  onChange: (commands: string[][]) => void;
  isFull: () => boolean;
}

export function createEngine({ clock, onChange, isFull }: EngineOptions): Engine {
  let replaying = false;
  let changes: string[][] = [];
  const store = createStore({
    clock,
    replaying: () => replaying,
    onExpired: (key) => void changes.push(['DEL', key]),
  });

  function run(words: string[]): Reply {
    const name = words[0]?.toUpperCase() ?? '';
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (!command) return failure(`ERR unknown command '${name.toLowerCase().slice(0, 64)}'`);
    if (!fits(command, words.length))
      return failure(`ERR wrong number of arguments for '${name.toLowerCase()}' command`);
    if (command.writes && isFull() && !MAKES_ROOM.has(name)) return failure(FULL);
    try {
      const reply = command.run(store, [...words]);
      if (command.writes) changes.push(...(command.logAs?.(store, words, reply) ?? [words]));
      return reply;
    } catch (error) {
      if (error instanceof CommandError) return failure(error.message);
      log.error(`${name} failed: ${messageOf(error)}`);
      return failure('ERR the command failed here; see the log of the server');
    }
  }

  function tell(): void {
    if (changes.length > 0) onChange(changes);
    changes = [];
  }

  return {
    store,
    execute(words) {
      const reply = run(words);
      tell();
      return reply;
    },
    executeAll(commands) {
      const replies = commands.map(run);
      tell();
      return replies;
    },
    replay(words) {
      replaying = true;
      run(words);
      changes = [];
      replaying = false;
    },
    sweep() {
      store.sweep(SWEPT_KEYS);
      tell();
    },
    *snapshot() {
      for (const key of store.keys()) yield* commandsFor(store, key);
      // What ended while we looked is left out and need not be told.
      changes = [];
    },
  };
}

function fits({ arity }: Command, words: number): boolean {
  return arity < 0 ? words >= -arity : words === arity;
}

function* commandsFor(store: Store, key: string): Iterable<string[]> {
  const value = store.get(key);
  if (!value) return;
  if (value.type === 'string') yield ['SET', key, value.text];
  else if (value.type === 'list') yield* inParts(['RPUSH', key], value.items);
  else if (value.type === 'set') yield* inParts(['SADD', key], [...value.members]);
  else yield* inParts(['HSET', key], [...value.fields].flat());
  const end = store.expiresAt(key);
  if (end !== undefined) yield ['PEXPIREAT', key, String(end)];
}

function* inParts(head: string[], words: string[]): Iterable<string[]> {
  for (let at = 0; at < words.length; at += SNAPSHOT_WORDS) yield [...head, ...words.slice(at, at + SNAPSHOT_WORDS)];
}
