import type { KubeObject } from '../../../schema/object.ts';
import type { StoredRecord } from '../../store/store.ts';
import { badRequest, expired, notFound } from '../errors.ts';
import type { Kind } from '../kind.ts';
import { addressOf, fromStored, type RuleRequest, type Rules } from './rules.ts';
import { matches, parseSelection, type Selection } from './selection.ts';

export interface ListQuery {
  selection: Selection;
  limit: number;
  /** Where the last page ended. */
  after: Position | undefined;
}

interface Position {
  revision: number;
  namespace: string;
  name: string;
}

export interface ListResult {
  revision: number;
  records: StoredRecord[];
  objects: KubeObject[];
  continue?: string;
  remaining?: number;
}

export function getObject(rules: Rules, { kind, namespace }: RuleRequest, name: string): StoredRecord {
  const record = rules.store.get(addressOf(kind, namespace, name));
  if (!record) throw notFound(kind, name);
  return record;
}

export function listObjects(rules: Rules, { kind, namespace }: RuleRequest, query: ListQuery): ListResult {
  const everything = rules.store.list(kind.storage, namespace === '' ? undefined : namespace);
  const rest = query.after ? everything.filter((record) => isAfter(record, query.after!)) : everything;
  const selective = query.selection.labels.length > 0 || query.selection.fields.length > 0;
  const chosen = selective ? rest.filter(({ object }) => matches(kind, query.selection, object)) : rest;
  const revision = query.after?.revision ?? rules.store.revision();
  const page = query.limit > 0 ? chosen.slice(0, query.limit) : chosen;
  const result: ListResult = { revision, records: page, objects: page.map(({ object }) => fromStored(kind, object)) };
  const last = page.at(-1);
  if (last && page.length < chosen.length) {
    result.continue = encodePosition({ revision, namespace: last.address.namespace, name: last.address.name });
    // A server with a selector does not count what it has not looked at.
    if (!selective) result.remaining = chosen.length - page.length;
  }
  return result;
}

export function parseListQuery(kind: Kind, query: URLSearchParams, compacted: number): ListQuery {
  const limit = Number(query.get('limit') ?? 0);
  if (!Number.isInteger(limit) || limit < 0)
    throw badRequest(`limit ${JSON.stringify(query.get('limit'))} is not a whole number`);
  const version = query.get('resourceVersion') ?? '';
  if (!/^\d*$/.test(version)) {
    const text = JSON.stringify(version);
    throw badRequest(
      `invalid resource version: resourceVersion: Invalid value: ${text}: strconv.ParseUint: parsing ${text}: invalid syntax`,
    );
  }
  const token = query.get('continue');
  if (token && query.get('resourceVersion') && query.get('resourceVersion') !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  return {
    selection: parseSelection(kind, query.get('labelSelector'), query.get('fieldSelector')),
    limit,
    after: token ? decodePosition(token, compacted) : undefined,
  };
}

function isAfter({ address }: StoredRecord, { namespace, name }: Position): boolean {
  return address.namespace > namespace || (address.namespace === namespace && address.name > name);
}

function encodePosition({ revision, namespace, name }: Position): string {
  return Buffer.from(JSON.stringify({ v: 'berth/v1', rv: revision, ns: namespace, name })).toString('base64url');
}

function decodePosition(token: string, compacted: number): Position {
  const read = readToken(token);
  if (typeof read?.rv !== 'number' || typeof read.ns !== 'string' || typeof read.name !== 'string') {
    throw badRequest('continue key is not valid: give back the token exactly as the last list answered it');
  }
  if (read.rv < compacted) {
    throw expired(
      'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.',
    );
  }
  return { revision: read.rv, namespace: read.ns, name: read.name };
}

function readToken(token: string): { rv?: unknown; ns?: unknown; name?: unknown } | undefined {
  try {
    return JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
  } catch {
    // Not a token of ours: the caller says so.
    return undefined;
  }
}
