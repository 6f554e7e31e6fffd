import { createHash, timingSafeEqual } from 'node:crypto';
import type { Engine } from './engine.ts';
import { failure, isFailure, OK, type Reply } from './resp.ts';

/** One connection: who it is, and what it has begun. Commands about the connection and the server are answered here. */
export interface Session {
  execute(words: string[]): Reply;
  /** The client said goodbye. */
  ended(): boolean;
}

export interface SessionOptions {
  engine: Engine;
  password: string;
  info: () => Record<string, string | number>;
  id: number;
}

const PASSES_WITHOUT_PASSWORD = new Set(['AUTH', 'HELLO', 'QUIT']);
const NEVER_QUEUED = new Set(['EXEC', 'DISCARD', 'MULTI', 'QUIT']);
const MAX_QUEUED = 10_000;

export function createSession({ engine, password, info, id }: SessionOptions): Session {
  let authenticated = false;
  let ended = false;
  let name: string | undefined;
  let queue: string[][] | undefined;
  let queueIsBad = false;

  function authenticate(words: string[]): Reply {
    // AUTH PASSWORD, or AUTH default PASSWORD.
    if (words.length < 2 || words.length > 3) return failure("ERR wrong number of arguments for 'auth' command");
    const user = words.length === 3 ? words[1] : 'default';
    if (user !== 'default' || !isSame(words.at(-1) ?? '', password))
      return failure('WRONGPASS invalid username-password pair or user is disabled.');
    authenticated = true;
    return OK;
  }

  function hello([, version, ...options]: string[]): Reply {
    if (version !== undefined && version !== '2')
      return failure('NOPROTO sorry, this protocol version is not supported.');
    if (options[0]?.toUpperCase() === 'AUTH') {
      const reply = authenticate(options.slice(0, 3));
      if (isFailure(reply)) return reply;
    }
    if (!authenticated) return failure('NOAUTH HELLO must be called with the client already authenticated.');
    return ['server', 'berth-kv', 'version', '7.0.0', 'proto', 2, 'id', id, 'mode', 'standalone', 'role', 'master'];
  }

  function client([, action, value]: string[]): Reply {
    switch (action?.toUpperCase()) {
      case 'SETNAME':
        name = value;
        return OK;
      case 'GETNAME':
        return name;
      case 'ID':
        return id;
      case 'SETINFO':
      case 'NO-EVICT':
        return OK;
      default:
        return failure('ERR unknown subcommand of CLIENT');
    }
  }

  function finish(): Reply {
    const commands = queue;
    const bad = queueIsBad;
    queue = undefined;
    queueIsBad = false;
    if (!commands) return failure('ERR EXEC without MULTI');
    if (bad) return failure('EXECABORT Transaction discarded because of previous errors.');
    return engine.executeAll(commands);
  }

  function enqueue(commands: string[][], words: string[]): Reply {
    if (commands.length >= MAX_QUEUED) {
      queueIsBad = true;
      return failure('ERR too many commands in one transaction');
    }
    commands.push(words);
    return { simple: 'QUEUED' };
  }

  function own(command: string, words: string[]): Reply | typeof NOT_OURS {
    switch (command) {
      case 'AUTH':
        return authenticate(words);
      case 'HELLO':
        return hello(words);
      case 'PING':
        return words[1] ?? { simple: 'PONG' };
      case 'ECHO':
        return words[1] ?? failure("ERR wrong number of arguments for 'echo' command");
      case 'QUIT':
        ended = true;
        return OK;
      case 'SELECT':
        return words[1] === '0' ? OK : failure('ERR DB index is out of range');
      case 'CLIENT':
        return client(words);
      case 'COMMAND':
      case 'CONFIG':
        return [];
      case 'INFO':
        return `# Server\r\n${Object.entries(info())
          .map(([key, value]) => `${key}:${value}\r\n`)
          .join('')}`;
      case 'MULTI':
        if (queue) return failure('ERR MULTI calls can not be nested');
        queue = [];
        return OK;
      case 'DISCARD':
        if (!queue) return failure('ERR DISCARD without MULTI');
        queue = undefined;
        queueIsBad = false;
        return OK;
      case 'EXEC':
        return finish();
      default:
        return NOT_OURS;
    }
  }

  return {
    ended: () => ended,
    execute(words) {
      const command = words[0]?.toUpperCase() ?? '';
      if (!authenticated && !PASSES_WITHOUT_PASSWORD.has(command)) return failure('NOAUTH Authentication required.');
      if (queue && !NEVER_QUEUED.has(command)) return enqueue(queue, words);
      const reply = own(command, words);
      return reply === NOT_OURS ? engine.execute(words) : reply;
    },
  };
}

const NOT_OURS = Symbol('a command on the data');

function isSame(given: string, password: string): boolean {
  const digest = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();
  return timingSafeEqual(digest(Buffer.from(given, 'latin1')), digest(Buffer.from(password, 'utf8')));
}
