import type { KubeObject } from '../../../schema/object.ts';
import type { Tokens } from '../auth/tokens.ts';
import type { FieldValidation } from '../decode.ts';
import { badRequest, resourceName } from '../errors.ts';
import type { Kind, UserInfo } from '../kind.ts';
import type { NodeAgent } from '../node-agent.ts';
import { decodeProtobuf, PROTOBUF } from '../protobuf/envelope.ts';
import type { RuleRequest, Rules, WriteOptions } from '../rules/rules.ts';
import { type IncludeObject, tableOf } from '../table.ts';
import { parseText, readBody } from './read-body.ts';
import type { RequestInfo, ResourcePath } from './request-info.ts';
import type { Reply } from './respond.ts';
import type { WebSockets } from './web-sockets.ts';

/** One request to a resource, authorised already. */
export interface ResourceCall {
  rules: Rules;
  info: RequestInfo;
  path: ResourcePath;
  kind: Kind;
  user: UserInfo;
  reply: Reply;
  now: () => number;
  nodeAgent: () => NodeAgent | undefined;
  tokens: Tokens;
  sockets: WebSockets;
}

export function ruleRequest({ kind, path, user, reply }: ResourceCall): RuleRequest {
  return { kind, namespace: path.namespace, user, warn: (text) => reply.warnings.push(text) };
}

export function writeOptions({ info, reply }: ResourceCall): WriteOptions {
  const { query } = info;
  const dryRun = query.getAll('dryRun');
  if (dryRun.some((value) => value !== 'All'))
    throw badRequest(`invalid dryRun ${JSON.stringify(dryRun)}: the only value is All`);
  const validation = query.get('fieldValidation') ?? 'Warn';
  if (validation !== 'Strict' && validation !== 'Warn' && validation !== 'Ignore') {
    throw badRequest(`invalid fieldValidation ${JSON.stringify(validation)}: use Strict, Warn or Ignore`);
  }
  const manager = query.get('fieldManager') ?? defaultManager(String(reply.request.headers['user-agent'] ?? ''));
  if (manager.length > 128) throw badRequest('fieldManager may not be longer than 128 characters');
  return {
    dryRun: dryRun.length > 0,
    fieldManager: manager,
    fieldValidation: validation as FieldValidation,
    force: query.get('force') === 'true',
  };
}

/** As a real server: the program's name in the user agent. */
function defaultManager(userAgent: string): string {
  return userAgent.split('/')[0]!.slice(0, 128) || 'unknown';
}

export async function readObject(call: ResourceCall): Promise<unknown> {
  const { request } = call.reply;
  const type = mediaType(request.headers['content-type']);
  const body = await readBody(request);
  if (type === PROTOBUF) return decodeProtobuf(body);
  return parseText(body, type);
}

export function mediaType(header: string | undefined): string {
  return (header ?? 'application/json').split(';')[0]!.trim().toLowerCase();
}

export function table(
  { kind, info, now }: ResourceCall,
  objects: KubeObject[],
  metadata: Record<string, unknown>,
  headers = true,
) {
  const include = (info.query.get('includeObject') ?? 'Metadata') as IncludeObject;
  if (!['None', 'Metadata', 'Object'].includes(include))
    throw badRequest(`invalid includeObject ${JSON.stringify(include)} for ${resourceName(kind)}`);
  return tableOf(kind, objects, { now: now(), include, metadata, headers });
}
