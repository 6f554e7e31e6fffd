import type { KubeObject, ManagedFieldsEntry } from '../../../schema/object.ts';
import { isKubeError, KubeError } from '../../../schema/status.ts';
import { deepEqual } from '../../store/deep-equal.ts';
import { decodeObject } from '../decode.ts';
import { badRequest, conflict, notFound } from '../errors.ts';
import { compareFields } from '../fields/compare.ts';
import {
  apartFrom,
  describePath,
  difference,
  emptySet,
  type FieldSet,
  intersection,
  isEmpty,
  pathsOf,
  toFieldsV1,
  union,
} from '../fields/field-set.ts';
import { fieldsOf } from '../fields/fields-of.ts';
import { mergeFields, removeFields } from '../fields/merge.ts';
import { rootSchema } from '../fields/shape.ts';
import type { Kind } from '../kind.ts';
import { createDecoded } from './create.ts';
import { newEntry, ownable, ownedBy, setManagedFields, type Tracking } from './managed-fields.ts';
import { addressOf, type RuleRequest, type Rules, timestamp, type WriteOptions } from './rules.ts';
import { changeObject, type UpdateTarget } from './update.ts';

/**
 * Server-side apply. The configuration says all that its manager wants: it is merged into the live object, what the manager applied before
 * and leaves out now is removed unless somebody else owns it, and a field with another value that somebody else owns is a conflict unless
 * forced.
 */
export async function applyObject(
  rules: Rules,
  request: RuleRequest,
  input: { target: UpdateTarget; patch: unknown; options: WriteOptions },
): Promise<{ object: KubeObject; created: boolean }> {
  const { kind } = request;
  const { target, options } = input;
  const applied = readConfiguration(request, input);
  const by = { manager: options.fieldManager, now: rules.clock.now(), subresource: target.subresource };
  const exists = () => rules.store.get(addressOf(kind, request.namespace, target.name)) !== undefined;
  for (;;) {
    if (exists()) {
      const change = (current: KubeObject) => applyTo(kind, current, applied, { by, force: options.force === true });
      try {
        const object = await changeObject(rules, request, {
          target,
          options: { ...options, managed: true, isPatch: true },
          change,
        });
        return { object, created: false };
      } catch (error) {
        // Deleted since we looked: apply makes it anew.
        if (!isKubeError(error, 'NotFound') || exists()) throw error;
      }
    }
    checkMayCreate(kind, target, applied);
    try {
      return { object: await create(rules, request, { applied, by, options }), created: true };
    } catch (error) {
      // Made by somebody else since we looked: apply to that one.
      if (!isKubeError(error, 'AlreadyExists') || !exists()) throw error;
    }
  }
}

function checkMayCreate(kind: Kind, target: UpdateTarget, { metadata }: KubeObject): void {
  if (target.subresource !== '') throw notFound(kind, target.name);
  if (metadata.uid)
    throw conflict(
      kind,
      target.name,
      `uid mismatch: the provided object specified uid ${metadata.uid}, and no existing object was found`,
    );
}

function readConfiguration(
  request: RuleRequest,
  { target, patch }: { target: UpdateTarget; patch: unknown },
): KubeObject {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch))
    throw badRequest('error decoding YAML: the configuration is not an object');
  const sent = patch as Partial<KubeObject>;
  if (!sent.apiVersion || !sent.kind)
    throw badRequest(`Object 'Kind' or 'apiVersion' is missing in the applied configuration`);
  const unknown: string[] = [];
  const applied = decodeObject(request.kind, patch, 'Warn', (_text, path) => unknown.push(path));
  if (unknown.length > 0) throw notDeclared(request, applied, unknown);
  if (applied.metadata.managedFields !== undefined) throw badRequest('metadata.managedFields must be nil');
  applied.metadata.name ??= target.name;
  if (applied.metadata.name !== target.name)
    throw badRequest(
      `the name of the object (${applied.metadata.name}) does not match the name on the URL (${target.name})`,
    );
  if (request.kind.namespaced) {
    applied.metadata.namespace ??= request.namespace;
    if (applied.metadata.namespace !== request.namespace)
      throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  return applied;
}

/** Whatever the validation of fields: nobody can own what no schema knows. */
function notDeclared({ kind }: RuleRequest, { metadata, apiVersion }: KubeObject, unknown: string[]): KubeError {
  const lines = unknown.map((path) => `.${path}: field not declared in schema`);
  const text = lines.length === 1 ? lines[0] : ['errors:', ...lines.map((line) => `  ${line}`)].join('\n');
  const version = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
  const where = `${metadata.namespace ?? ''}/${metadata.name}; ${version}, Kind=${kind.kind}`;
  return new KubeError(500, undefined, `failed to create typed patch object (${where}): ${text}`);
}

function create(
  rules: Rules,
  request: RuleRequest,
  { applied, by, options }: { applied: KubeObject; by: Tracking; options: WriteOptions },
): Promise<KubeObject> {
  const { kind } = request;
  const object = structuredClone(applied);
  // A version is compared with that of an object; where there is none there is nothing to compare.
  delete object.metadata.resourceVersion;
  const owned = ownable(kind, fieldsOf(rootSchema(kind), applied), '');
  setManagedFields(object, isEmpty(owned) ? [] : [newEntry(kind, owned, { ...by, operation: 'Apply' })]);
  return createDecoded(rules, request, object, { ...options, managed: true });
}

function applyTo(
  kind: Kind,
  live: KubeObject,
  applied: KubeObject,
  { by, force }: { by: Tracking; force: boolean },
): KubeObject {
  const schema = rootSchema(kind);
  const subresource = by.subresource ?? '';
  const entries = entriesOf(kind, live, by);
  const isMine = (entry: ManagedFieldsEntry) =>
    entry.manager === by.manager && entry.operation === 'Apply' && (entry.subresource ?? '') === subresource;
  const others = entries.filter((entry) => !isMine(entry));
  const before = entries.filter(isMine).map(ownedBy).reduce(union, emptySet());
  const wanted = ownable(kind, fieldsOf(schema, applied), subresource);
  const merged = mergeFields(schema, live, withoutIdentity(applied)) as KubeObject;
  const heldByOthers = others.map(ownedBy).reduce(union, emptySet());
  const abandoned = apartFrom(before, union(wanted, heldByOthers));
  const final = structuredClone(removeFields(schema, merged, abandoned) as KubeObject);
  const { changed, removed } = compareFields(schema, live, final);
  const contested = others
    .map((entry) => ({ entry, fields: intersection(ownedBy(entry), intersection(changed, wanted)) }))
    .filter(({ fields }) => !isEmpty(fields));
  if (contested.length > 0 && !force) throw applyConflict(contested);
  const kept = others.flatMap((entry) => keepEntry(entry, union(intersection(changed, wanted), removed)));
  const mine = renewed(entries.find(isMine), newEntry(kind, wanted, { ...by, operation: 'Apply' }), by.now);
  setManagedFields(final, isEmpty(wanted) ? kept : [...kept, mine]);
  return final;
}

/** An object nobody has tracked belongs, as it is, to whoever wrote it before. */
function entriesOf(kind: Kind, live: KubeObject, by: Tracking): ManagedFieldsEntry[] {
  if (live.metadata.managedFields) return live.metadata.managedFields;
  const all = ownable(kind, fieldsOf(rootSchema(kind), live), '');
  return [newEntry(kind, all, { manager: 'before-first-apply', operation: 'Update', now: by.now })];
}

/** Preconditions are checked by the update itself; the rest of what the server owns is not applied. */
function withoutIdentity(applied: KubeObject): Record<string, unknown> {
  const { creationTimestamp: _creationTimestamp, ...metadata } = applied.metadata;
  return { ...applied, metadata };
}

function keepEntry(entry: ManagedFieldsEntry, lost: FieldSet): ManagedFieldsEntry[] {
  const left = difference(ownedBy(entry), lost);
  return isEmpty(left) ? [] : [{ ...entry, fieldsV1: toFieldsV1(left) }];
}

/** Applying the same again is no change: it keeps its time. */
function renewed(known: ManagedFieldsEntry | undefined, entry: ManagedFieldsEntry, now: number): ManagedFieldsEntry {
  const same = known && known.apiVersion === entry.apiVersion && deepEqual(known.fieldsV1, entry.fieldsV1);
  return same ? known : { ...entry, time: timestamp(now) };
}

function applyConflict(contested: { entry: ManagedFieldsEntry; fields: FieldSet }[]): KubeError {
  const causes = contested.flatMap(({ entry, fields }) =>
    pathsOf(fields).map((path) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with ${managerText(entry)}`,
      field: describePath(path),
    })),
  );
  const groups = contested.map(({ entry, fields }) => {
    const paths = pathsOf(fields).map(describePath);
    return paths.length === 1
      ? `conflict with ${managerText(entry)}: ${paths[0]}`
      : `conflicts with ${managerText(entry)}:\n${paths.map((path) => `- ${path}`).join('\n')}`;
  });
  const count = causes.length;
  const message = `Apply failed with ${count} ${count === 1 ? 'conflict' : 'conflicts'}: ${groups.join('\n')}`;
  return new KubeError(409, 'Conflict', message, { causes });
}

function managerText({ manager, subresource, apiVersion, operation }: ManagedFieldsEntry): string {
  const below = subresource ? ` with subresource ${JSON.stringify(subresource)}` : '';
  return `${JSON.stringify(manager)}${below}${operation === 'Update' ? ` using ${apiVersion}` : ''}`;
}
