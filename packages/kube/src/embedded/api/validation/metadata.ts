import type { KubeObject, OwnerReference } from '../../../schema/object.ts';
import { banned, type FieldError, required, wrong } from '../errors.ts';
import type { Kind } from '../kind.ts';
import { dnsSubdomain, labelValue, qualifiedName } from './names.ts';

const LARGEST_ANNOTATIONS = 256 * 1024;
/** Finalizers without a domain that Kubernetes itself uses. */
const BARE_FINALIZERS = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/** What holds for the metadata of every kind. */
export function validateMetadata(kind: Kind, object: KubeObject): FieldError[] {
  const { metadata } = object;
  const errors: FieldError[] = [];
  if (!metadata.name) errors.push(required('metadata.name', 'name or generateName is required'));
  else {
    const check = kind.strategy.name ?? dnsSubdomain;
    errors.push(...check(metadata.name).map((problem) => wrong('metadata.name', metadata.name, problem)));
  }
  errors.push(...validateLabels(metadata.labels, 'metadata.labels'));
  errors.push(...validateAnnotations(metadata.annotations));
  (metadata.finalizers ?? []).forEach((finalizer, at) => {
    errors.push(...validateFinalizer(finalizer, { generic: isGeneric(kind), at }));
  });
  errors.push(...validateOwners(metadata.ownerReferences ?? []));
  return errors;
}

export function validateLabels(labels: Record<string, string> | undefined, field: string): FieldError[] {
  return Object.entries(labels ?? {}).flatMap(([key, value]) => [
    ...qualifiedName(key).map((problem) => wrong(field, key, problem)),
    ...labelValue(value).map((problem) => wrong(field, value, problem)),
  ]);
}

function validateAnnotations(annotations: Record<string, string> = {}): FieldError[] {
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations)) {
    errors.push(...qualifiedName(key.toLowerCase()).map((problem) => wrong('metadata.annotations', key, problem)));
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (bytes > LARGEST_ANNOTATIONS) {
    errors.push({
      type: 'FieldValueTooLong',
      field: 'metadata.annotations',
      detail: `may not be more than ${LARGEST_ANNOTATIONS} bytes`,
    });
  }
  return errors;
}

/** Kinds of the API extensions are held to the general rule alone: any qualified name. */
function isGeneric({ custom, group }: Kind): boolean {
  return custom === true || group === 'apiextensions.k8s.io';
}

function validateFinalizer(finalizer: string, { generic, at }: { generic: boolean; at: number }): FieldError[] {
  const problems = qualifiedName(finalizer).map((problem) => wrong('metadata.finalizers', finalizer, problem));
  if (!generic && problems.length === 0 && !finalizer.includes('/') && !BARE_FINALIZERS.has(finalizer)) {
    problems.push(
      wrong(
        `metadata.finalizers[${at}]`,
        finalizer,
        'name is neither a standard finalizer name nor is it fully qualified',
      ),
    );
  }
  return problems;
}

function validateOwners(owners: OwnerReference[]): FieldError[] {
  const errors: FieldError[] = [];
  const field = 'metadata.ownerReferences';
  for (const owner of owners) {
    if (!owner.apiVersion)
      errors.push(wrong(`${field}.apiVersion`, owner.apiVersion ?? '', 'version must not be empty'));
    if (!owner.kind) errors.push(wrong(`${field}.kind`, owner.kind ?? '', 'must not be empty'));
    if (!owner.name) errors.push(wrong(`${field}.name`, owner.name ?? '', 'must not be empty'));
    if (!owner.uid) errors.push(wrong(`${field}.uid`, owner.uid ?? '', 'must not be empty'));
  }
  const controllers = owners.filter(({ controller }) => controller);
  if (controllers.length > 1) {
    const named = controllers.map(({ kind, name }) => `${kind}/${name}`);
    errors.push(
      wrong(
        field,
        owners,
        `Only one reference can have Controller set to true. Found "true" in references for ${named[0]} and ${named[1]}`,
      ),
    );
  }
  return errors;
}

/** The server owns these; an update that keeps quiet about them leaves them as they were. */
export function keepSystemMetadata(object: KubeObject, old: KubeObject): void {
  const { metadata } = object;
  metadata.name = old.metadata.name;
  if (old.metadata.namespace) metadata.namespace = old.metadata.namespace;
  metadata.uid ??= old.metadata.uid!;
  metadata.creationTimestamp = old.metadata.creationTimestamp!;
  copyOrClear(metadata, old.metadata, 'generation');
  copyOrClear(metadata, old.metadata, 'deletionTimestamp');
  copyOrClear(metadata, old.metadata, 'deletionGracePeriodSeconds');
  copyOrClear(metadata, old.metadata, 'generateName');
}

function copyOrClear<Meta extends KubeObject['metadata']>(to: Meta, from: Meta, field: keyof Meta): void {
  if (from[field] === undefined) delete to[field];
  else to[field] = from[field];
}

export function validateMetadataUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const added = (object.metadata.finalizers ?? []).filter((finalizer) => !old.metadata.finalizers?.includes(finalizer));
  if (!old.metadata.deletionTimestamp || added.length === 0) return [];
  return [
    banned(
      'metadata.finalizers',
      `no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((name) => JSON.stringify(name)).join(', ')}}`,
    ),
  ];
}
