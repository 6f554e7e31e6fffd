import type { KubeObject } from '../../../schema/object.ts';
import type { KubeError } from '../../../schema/status.ts';
import { deepEqual } from '../../store/deep-equal.ts';
import type { StoredRecord, StoreView } from '../../store/store.ts';
import { decodeObject } from '../decode.ts';
import { badRequest, conflict, invalid, MODIFIED, notFound } from '../errors.ts';
import type { Kind, RuleContext } from '../kind.ts';
import { keepSystemMetadata, validateMetadata, validateMetadataUpdate } from '../validation/metadata.ts';
import { placeInNamespace } from './create.ts';
import { removalAfterUpdate } from './delete.ts';
import { trackUpdate } from './managed-fields.ts';
import {
  addressOf,
  contextOf,
  fromStored,
  type RuleRequest,
  type Rules,
  toStored,
  type WriteOptions,
} from './rules.ts';
import { checkSize } from './size.ts';

export interface UpdateTarget {
  name: string;
  /** `finalize` touches finalizers alone: no admission, no validation of content. */
  subresource: '' | 'status' | 'finalize';
}

interface UpdateOptions extends WriteOptions {
  managed?: boolean;
  /** Then a uid is a field like others, which does not change; in a PUT it says which object is meant. */
  isPatch?: boolean;
}

/** PUT. */
export async function updateObject(
  rules: Rules,
  request: RuleRequest,
  input: { target: UpdateTarget; body: unknown; options: WriteOptions },
): Promise<KubeObject> {
  const { kind } = request;
  const sent = decodeObject(kind, input.body, input.options.fieldValidation, request.warn);
  placeInNamespace(kind, sent, request.namespace);
  const { name } = input.target;
  if (!sent.metadata.name) throw badRequest('name must be provided');
  if (sent.metadata.name !== name) {
    throw badRequest(`the name of the object (${sent.metadata.name}) does not match the name on the URL (${name})`);
  }
  if (!sent.metadata.resourceVersion && (kind.custom || kind.versionRequired)) throw versionRequired(kind, name);
  return changeObject(rules, request, {
    target: input.target,
    options: input.options,
    change: () => structuredClone(sent),
  });
}

function versionRequired({ group, plural }: Kind, name: string): KubeError {
  const field = 'metadata.resourceVersion';
  const detail = 'must be specified for an update';
  return invalid({ group, kind: plural }, name, [{ type: 'FieldValueInvalid', field, value: 0, detail }]);
}

/**
 * Replaces an object by what `change` makes of it, under all the rules of an update. `change` must be pure; it gets the
 * object in the version of the request and returns a copy that the rules may change.
 */
export async function changeObject(
  rules: Rules,
  request: RuleRequest,
  input: {
    target: UpdateTarget;
    options: UpdateOptions;
    change: (current: KubeObject) => KubeObject;
  },
): Promise<KubeObject> {
  const { kind } = request;
  const { target, options, change } = input;
  const decide = (current: StoredRecord | undefined, view: StoreView) => {
    if (!current) throw notFound(kind, target.name);
    const old = fromStored(kind, current.object);
    const wanted = prepareUpdate(
      rules,
      { kind, target, options },
      { wanted: change(old), old, context: contextOf(rules, request, view) },
    );
    if (wanted === old) return current.object;
    const removal = removalAfterUpdate(kind, wanted);
    return removal ? { removed: toStored(kind, wanted) } : toStored(kind, wanted);
  };
  const address = addressOf(kind, request.namespace, target.name);
  const { record } = options.dryRun ? rules.store.preview(address, decide) : await rules.store.write(address, decide);
  return fromStored(kind, record!.object);
}

function prepareUpdate(
  rules: Rules,
  request: { kind: Kind; target: UpdateTarget; options: UpdateOptions },
  state: { wanted: KubeObject; old: KubeObject; context: RuleContext },
): KubeObject {
  const { kind, target, options } = request;
  const { wanted, old, context } = state;
  checkPreconditions(kind, wanted, { old, isPatch: options.isPatch === true });
  keepSystemMetadata(wanted, old);
  const { strategy } = kind;
  strategy.defaults?.(wanted);
  if (target.subresource === 'status') keepAllButStatus(kind, wanted, old);
  else if (kind.status) copyField(wanted, old, 'status');
  if (target.subresource === '') rules.admission.mutate(kind, wanted, old, context);
  // Before the server adds what is its own: nobody owns that.
  if (!options.managed) {
    trackUpdate(kind, wanted, old, {
      manager: options.fieldManager,
      now: context.now,
      subresource: options.trackedAs ?? target.subresource,
    });
  }
  if (target.subresource === '') {
    strategy.prepareForUpdate?.(wanted, old, context);
    if (kind.generation && specChanged(kind, wanted, old))
      wanted.metadata.generation = (old.metadata.generation ?? 0) + 1;
  }
  const errors = [...validateMetadata(kind, wanted), ...validateMetadataUpdate(wanted, old)];
  if (target.subresource === 'status') errors.push(...(strategy.validateStatus?.(wanted, old, context) ?? []));
  if (target.subresource === '') {
    errors.push(
      ...(strategy.validate?.(wanted, context) ?? []),
      ...(strategy.validateUpdate?.(wanted, old, context) ?? []),
    );
  }
  if (errors.length > 0) throw invalid(kind, target.name, errors);
  if (target.subresource === '') rules.admission.validate(kind, wanted, old, context);
  checkSize(wanted);
  return onlyTimesChanged(wanted, old) ? old : wanted;
}

function checkPreconditions(
  kind: Kind,
  wanted: KubeObject,
  { old, isPatch }: { old: KubeObject; isPatch: boolean },
): void {
  const { resourceVersion, uid } = wanted.metadata;
  const isAnother = uid !== undefined && uid !== '' && uid !== old.metadata.uid;
  if (isAnother && !isPatch) throw conflict(kind, old.metadata.name, uidMismatch(kind, old, uid));
  if (resourceVersion && resourceVersion !== '0' && resourceVersion !== old.metadata.resourceVersion) {
    throw conflict(kind, old.metadata.name, MODIFIED);
  }
  if (isAnother) {
    const error = {
      type: 'FieldValueInvalid',
      field: 'metadata.uid',
      value: uid,
      detail: 'field is immutable',
    } as const;
    throw invalid(kind, old.metadata.name, [error]);
  }
}

function uidMismatch({ plural, group, custom }: Kind, { metadata }: KubeObject, uid: string): string {
  const key = [
    '/registry',
    ...(custom ? [group] : []),
    plural,
    ...(metadata.namespace ? [metadata.namespace] : []),
    metadata.name,
  ].join('/');
  return `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid}`;
}

/** A write to status leaves the rest alone; built-in kinds let it touch annotations and finalizers, custom resources nothing. */
function keepAllButStatus(kind: Kind, wanted: KubeObject, old: KubeObject): void {
  const { status, metadata } = wanted;
  for (const key of Object.keys(wanted)) delete wanted[key];
  Object.assign(wanted, structuredClone(old));
  if (status === undefined) delete wanted.status;
  else wanted.status = status;
  if (kind.custom) {
    if (metadata.managedFields) wanted.metadata.managedFields = metadata.managedFields;
  } else
    wanted.metadata = {
      ...metadata,
      ...(old.metadata.ownerReferences && { ownerReferences: old.metadata.ownerReferences }),
    };
}

function copyField(wanted: KubeObject, old: KubeObject, field: string): void {
  if (old[field] === undefined) delete wanted[field];
  else wanted[field] = old[field];
}

function specChanged(kind: Kind, wanted: KubeObject, old: KubeObject): boolean {
  return !deepEqual(contentOf(kind, wanted), contentOf(kind, old));
}

/** What generation counts: everything but metadata and a status of its own. */
function contentOf(kind: Kind, { metadata: _metadata, status, ...content }: KubeObject): unknown {
  return kind.status ? content : { ...content, status };
}

/** A write that would change nothing but the times in managedFields is no write. */
function onlyTimesChanged(wanted: KubeObject, old: KubeObject): boolean {
  return deepEqual(withoutTimes(wanted), withoutTimes(old));
}

function withoutTimes(object: KubeObject): unknown {
  const { resourceVersion: _version, managedFields, ...metadata } = object.metadata;
  return {
    ...object,
    metadata: { ...metadata, managedFields: managedFields?.map(({ time: _time, ...entry }) => entry) },
  };
}
