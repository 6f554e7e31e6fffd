import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { type Answer, html, json, text } from '../runtime/answer.ts';
import type { PasswordGate } from '../runtime/password-gate.ts';
import { readBody, readFields } from '../runtime/read-body.ts';
import { AnsweredError, type AppRequest, createWebApp } from '../runtime/web-app.ts';
import type { AppendLog } from './append-log.ts';
import type { Engine } from './engine.ts';
import { commandsToSet, fromBytes, keyJson, replyJson, toBytes } from './kv-json.ts';
import { consolePage } from './page.ts';
import { isFailure, type Reply } from './resp.ts';

export interface ConsoleOptions {
  engine: Engine;
  appendLog: Pick<AppendLog, 'settled'>;
  gate: PasswordGate;
  info: () => Record<string, string | number>;
  /** How others reach the server; without the password. */
  connection: { host: string; port: number };
  script: string;
}

const MAX_BODY_BYTES = 8 * 1024 * 1024;
const KEYS_A_PAGE = 100;

/** A page, and JSON: `/keys?match=&cursor=`, `/keys/KEY` (GET, PUT, DELETE), `POST /command {"command": [...]}`, `/overview`. */
export function createConsole(options: ConsoleOptions): Server {
  const { gate, script } = options;
  return createWebApp(async (request) => {
    if (request.path === '/healthz') return text(200, 'ok');
    if (request.path === '/browser.js')
      return { status: 200, type: 'text/javascript; charset=utf-8', body: readFileSync(script) };
    return (await gate.guard(request)) ?? route(options, request);
  });
}

async function route(options: ConsoleOptions, request: AppRequest): Promise<Answer> {
  const { method, path, query, raw } = request;
  if (path.startsWith('/keys/')) return oneKey(options, request);
  switch (`${method} ${path}`) {
    case 'GET /':
      return { ...html(200, consolePage(options.connection)), scripted: true };
    case 'GET /overview':
      return json(200, { ...options.info(), connection: options.connection });
    case 'GET /keys':
      return listKeys(options, query);
    case 'POST /command': {
      const { command } = await readFields(raw, MAX_BODY_BYTES);
      if (!Array.isArray(command) || command.length === 0 || command.some((word) => typeof word === 'object'))
        throw new AnsweredError(422, 'Send {"command": ["GET", "key"]}.');
      const reply = await run(options, [command.map((word) => toBytes(String(word)))]);
      return json(200, { reply: replyJson(reply[0]) });
    }
    default:
      return text(404, 'the console has /, /overview, /keys and /command');
  }
}

async function listKeys({ engine }: ConsoleOptions, query: URLSearchParams): Promise<Answer> {
  const match = toBytes(query.get('match') || '*');
  const count = query.get('count') || String(KEYS_A_PAGE);
  const reply = engine.execute(['SCAN', query.get('cursor') || '0', 'MATCH', match, 'COUNT', count]);
  if (!Array.isArray(reply)) throw new AnsweredError(422, problemOf(reply));
  const [cursor, keys] = reply as [string, string[]];
  const shown = keys.map((key) => {
    const { value: _value, ...rest } = keyJson(engine, fromBytes(key)) ?? {};
    return rest;
  });
  return json(200, { cursor, keys: shown });
}

async function oneKey(options: ConsoleOptions, { method, path, raw }: AppRequest): Promise<Answer> {
  const key = nameIn(path.slice('/keys/'.length));
  switch (method) {
    case 'GET': {
      const found = keyJson(options.engine, key);
      return found ? json(200, found) : json(404, { error: `There is no key "${key}".` });
    }
    case 'PUT': {
      await run(options, await putCommands(key, raw));
      return json(200, keyJson(options.engine, key) ?? null);
    }
    case 'DELETE': {
      const [removed] = await run(options, [['DEL', toBytes(key)]]);
      return json(removed === 1 ? 200 : 404, { removed });
    }
    default:
      return json(405, { error: 'A key takes GET, PUT and DELETE.' });
  }
}

/** JSON `{value, ttl?}`; any other body is the value, byte for byte. */
async function putCommands(key: string, raw: AppRequest['raw']): Promise<string[][]> {
  if (!(raw.headers['content-type'] ?? '').startsWith('application/json'))
    return [['SET', toBytes(key), (await readBody(raw, MAX_BODY_BYTES)).toString('latin1')]];
  const { value, ttl } = await readFields(raw, MAX_BODY_BYTES);
  const commands = commandsToSet(key, value);
  if (!commands)
    throw new AnsweredError(422, 'Send {"value": ...} with a text, a number, a list or an object that is not empty.');
  return ttl === undefined || ttl === null ? commands : [...commands, ['EXPIRE', toBytes(key), String(ttl)]];
}

function nameIn(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new AnsweredError(400, 'The key in the address is not written as %XX of UTF-8.');
  }
}

/** One answer a command, once what they changed is kept. */
async function run({ engine, appendLog }: ConsoleOptions, commands: string[][]): Promise<Reply[]> {
  const replies = engine.executeAll(commands);
  await appendLog.settled();
  const failed = replies.find((reply) => isFailure(reply));
  if (failed !== undefined) throw new AnsweredError(422, problemOf(failed));
  return replies;
}

function problemOf(reply: Reply): string {
  return isFailure(reply) ? fromBytes(reply.failure) : 'the answer was not the expected one';
}
