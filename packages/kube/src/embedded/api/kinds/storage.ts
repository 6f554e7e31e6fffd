import type { KubeObject } from '../../../schema/object.ts';
import { compareQuantities, quantityNanos } from '../../../schema/quantity.ts';
import { PERSISTENT_VOLUME, PERSISTENT_VOLUME_CLAIM, STORAGE_CLASS } from '../../../schema/resources.ts';
import { deepEqual } from '../../store/deep-equal.ts';
import { banned, type FieldError, required, unsupported, wrong } from '../errors.ts';
import type { Kind } from '../kind.ts';
import { choice } from '../validation/values.ts';
import { at, defineKind, text } from './define.ts';
import { fill } from './pod-defaults.ts';

type Fields = Record<string, unknown>;

const MODES: Record<string, string> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};
const RECLAIM = ['Delete', 'Recycle', 'Retain'];
function specOf(object: KubeObject): Fields {
  object.spec ??= {};
  return object.spec as Fields;
}
const unset = '<unset>';

export const persistentVolume: Kind = defineKind(PERSISTENT_VOLUME, {
  schema: 'io.k8s.api.core.v1.PersistentVolume',
  status: true,
  returnsDeleted: true,
  shortNames: ['pv'],
  columns: [
    text('Capacity', (object) => at(object, 'spec', 'capacity', 'storage') ?? ''),
    text('Access Modes', (object) => modesText(at(object, 'spec', 'accessModes'))),
    text('Reclaim Policy', (object) => at(object, 'spec', 'persistentVolumeReclaimPolicy') ?? ''),
    text('Status', (object) => phaseText(object, 'Pending')),
    text('Claim', claimText),
    text('StorageClass', (object) => at(object, 'spec', 'storageClassName') ?? ''),
    text('VolumeAttributesClass', (object) => at(object, 'spec', 'volumeAttributesClassName') ?? unset),
    text('Reason', (object) => at(object, 'status', 'reason') ?? ''),
  ],
  wide: [text('VolumeMode', (object) => at(object, 'spec', 'volumeMode') ?? '<unset>', true)],
  strategy: {
    defaults: (object) => {
      fill(specOf(object), { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' });
      if (at(object, 'spec', 'hostPath')) fill(at(object, 'spec', 'hostPath') as Fields, { type: '' });
    },
    prepareForCreate: (object, { now }) => {
      object.status = { phase: 'Pending', lastPhaseTransitionTime: `${new Date(now).toISOString().slice(0, 19)}Z` };
    },
    validate: (object) => {
      const spec = specOf(object);
      const errors = validateModes(spec, 'spec.accessModes');
      if (!at(spec, 'capacity', 'storage'))
        errors.push(
          spec.capacity ? unsupported('spec.capacity', spec.capacity, ['storage']) : required('spec.capacity'),
        );
      errors.push(...choice(spec.persistentVolumeReclaimPolicy, RECLAIM, 'spec.persistentVolumeReclaimPolicy'));
      if (!SOURCES.some((source) => spec[source])) errors.push(required('spec', 'must specify a volume type'));
      return errors;
    },
    validateUpdate: (object, old) =>
      SOURCES.every((source) => deepEqual(specOf(object)[source], specOf(old)[source]))
        ? []
        : [banned('spec.persistentvolumesource', 'spec.persistentvolumesource is immutable after creation')],
  },
});

const SOURCES = ['hostPath', 'local', 'csi', 'nfs', 'iscsi', 'fc'];

export const persistentVolumeClaim: Kind = defineKind(PERSISTENT_VOLUME_CLAIM, {
  schema: 'io.k8s.api.core.v1.PersistentVolumeClaim',
  zero: { spec: { resources: {} } },
  status: true,
  returnsDeleted: true,
  shortNames: ['pvc'],
  columns: [
    text('Status', (object) => phaseText(object, 'Pending')),
    text('Volume', (object) => at(object, 'spec', 'volumeName') ?? ''),
    text('Capacity', (object) =>
      at(object, 'spec', 'volumeName') ? (at(object, 'status', 'capacity', 'storage') ?? '') : '',
    ),
    text('Access Modes', (object) =>
      at(object, 'spec', 'volumeName') ? modesText(at(object, 'status', 'accessModes')) : '',
    ),
    text('StorageClass', (object) => at(object, 'spec', 'storageClassName') ?? ''),
    text('VolumeAttributesClass', (object) => at(object, 'spec', 'volumeAttributesClassName') ?? unset),
  ],
  wide: [text('VolumeMode', (object) => at(object, 'spec', 'volumeMode') ?? '<unset>', true)],
  strategy: {
    defaults: (object) => fill(specOf(object), { volumeMode: 'Filesystem' }),
    prepareForCreate: (object) => {
      object.status = { phase: 'Pending' };
      addProtection(object);
    },
    validate: (object) => {
      const spec = specOf(object);
      const errors = validateModes(spec, 'spec.accessModes');
      const size = at(spec, 'resources', 'requests', 'storage');
      if (size === undefined) errors.push(required('spec.resources[storage]'));
      else if (quantityNanos(size) <= 0n)
        errors.push(wrong('spec.resources[storage]', size, 'must be greater than zero'));
      return errors;
    },
    validateUpdate: validateClaimUpdate,
  },
});

/** A claim in use must outlive its pods; the volume controller takes this off. */
function addProtection({ metadata }: KubeObject): void {
  const name = 'kubernetes.io/pvc-protection';
  if (!metadata.finalizers?.includes(name)) metadata.finalizers = [...(metadata.finalizers ?? []), name];
}

const CLAIM_CHANGES =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';

function validateClaimUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const wanted = structuredClone(specOf(object));
  const before = specOf(old);
  const [size, was] = [at(wanted, 'resources', 'requests', 'storage'), at(before, 'resources', 'requests', 'storage')];
  // The controller binds the claim by naming the volume once; growing a bound one is allowed.
  if (!before.volumeName) delete wanted.volumeName;
  // ... and gives the default class to one that named none.
  if (!before.volumeName && before.storageClassName === undefined) delete wanted.storageClassName;
  if (before.volumeName && size !== undefined && was !== undefined) {
    if (compareQuantities(size, was) < 0)
      return [banned('spec.resources.requests.storage', 'field can not be less than status.capacity')];
    wanted.resources = before.resources;
  }
  return deepEqual(wanted, before) ? [] : [banned('spec', CLAIM_CHANGES)];
}

export const storageClass: Kind = defineKind(STORAGE_CLASS, {
  schema: 'io.k8s.api.storage.v1.StorageClass',
  shortNames: ['sc'],
  columns: [
    text('Provisioner', ({ provisioner }) => provisioner),
    text('ReclaimPolicy', ({ reclaimPolicy }) => reclaimPolicy ?? 'Delete'),
    text('VolumeBindingMode', ({ volumeBindingMode }) => volumeBindingMode ?? 'Immediate'),
    {
      name: 'AllowVolumeExpansion',
      type: 'string',
      cell: ({ allowVolumeExpansion }) => String(allowVolumeExpansion ?? false),
    },
  ],
  strategy: {
    defaults: (object) => fill(object, { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' }),
    validate: (object) => {
      const errors: FieldError[] = object.provisioner ? [] : [required('provisioner')];
      errors.push(...choice(object.reclaimPolicy, RECLAIM, 'reclaimPolicy'));
      return [
        ...errors,
        ...choice(object.volumeBindingMode, ['Immediate', 'WaitForFirstConsumer'], 'volumeBindingMode'),
      ];
    },
    validateUpdate: (object, old) =>
      ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode']
        .filter((field) => !deepEqual(object[field], old[field]))
        .map((field) => banned(field, `updates to ${field} are forbidden.`)),
  },
});
storageClass.columns[0] = {
  ...storageClass.columns[0]!,
  cell: ({ metadata }) => (isDefaultClass(metadata.annotations) ? `${metadata.name} (default)` : metadata.name),
};

export function isDefaultClass(annotations: Record<string, string> | undefined): boolean {
  return annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true';
}

function validateModes(spec: Fields, field: string): FieldError[] {
  const modes = (spec.accessModes ?? []) as string[];
  if (modes.length === 0) return [required(field, 'at least 1 access mode is required')];
  return modes
    .filter((mode) => !Object.hasOwn(MODES, mode))
    .map((mode) => unsupported(field, mode, Object.keys(MODES)));
}

function modesText(modes: unknown): string {
  return ((modes ?? []) as string[]).map((mode) => MODES[mode] ?? mode).join(',');
}

function phaseText(object: KubeObject, otherwise: string): unknown {
  return object.metadata.deletionTimestamp ? 'Terminating' : (at(object, 'status', 'phase') ?? otherwise);
}

function claimText(object: KubeObject): string {
  const claim = at(object, 'spec', 'claimRef') as Fields | undefined;
  return claim ? `${claim.namespace}/${claim.name}` : '';
}
