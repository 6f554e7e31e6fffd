import { type Controller, createController } from '../../../client/controller.ts';
import type { Pod } from '../../../schema/kinds/pod.ts';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../../schema/kinds/storage.ts';
import { objectKey } from '../../../schema/object.ts';
import { PERSISTENT_VOLUME, PERSISTENT_VOLUME_CLAIM, POD, STORAGE_CLASS } from '../../../schema/resources.ts';
import { isKubeError } from '../../../schema/status.ts';
import { BY_NAMESPACE } from '../../caches.ts';
import { addressOf, type ControllerContext } from '../controller-context.ts';
import { stableJson } from '../stable-hash.ts';
import {
  CLAIM_PROTECTION,
  claimProblem,
  isBoundTo,
  PROVISIONER,
  usersOf,
  VOLUME_PROTECTION,
  volumeName,
} from './claim-rules.ts';

export interface VolumeContext extends ControllerContext {
  /** Where volumes lie, one folder each. */
  volumesDirectory: string;
}

/** Gives each claim a volume, and holds back the removal of a claim that a pod still uses. */
export function createClaimController(context: VolumeContext): Controller {
  const claims = context.caches.of<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIM);
  const pods = context.caches.of<Pod>(POD);
  const volumes = context.caches.of<PersistentVolume>(PERSISTENT_VOLUME);
  const classes = context.caches.of<StorageClass>(STORAGE_CLASS);

  async function reconcile(key: string): Promise<void> {
    const claim = claims.get(key);
    if (!claim) return;
    if (claim.metadata.deletionTimestamp) return release(context, claim);
    const protectedClaim = await protect(context, claim);
    const bound = protectedClaim.spec.volumeName;
    if (bound) return settle(context, protectedClaim, bound);
    const className = protectedClaim.spec.storageClassName ?? defaultClass(classes.list());
    const storageClass = classes.get(className ?? '');
    if (!storageClass) return refuse(context, protectedClaim, `storageclass.storage.k8s.io "${className}" not found`);
    if (storageClass.provisioner !== PROVISIONER) return;
    const problem = claimProblem(protectedClaim);
    if (problem) return refuse(context, protectedClaim, problem);
    await provision(context, protectedClaim, storageClass);
  }

  const namesake = (volume: PersistentVolume): string[] => {
    const reference = volume.spec.claimRef;
    return reference ? [`${reference.namespace}/${reference.name}`] : [];
  };
  return createController({ ...context, name: 'persistentvolumeclaim', reconcile, concurrency: 2 })
    .watches(claims, (claim) => [objectKey(claim)])
    .watches(volumes, namesake)
    .watches(classes, () =>
      claims
        .list()
        .filter((claim) => !claim.spec.volumeName)
        .map(objectKey),
    )
    .watches(pods, (pod) =>
      (pod.spec.volumes ?? []).flatMap((volume) => {
        const name = volume.persistentVolumeClaim?.claimName;
        return name ? [`${pod.metadata.namespace}/${name}`] : [];
      }),
    );
}

function defaultClass(classes: StorageClass[]): string | undefined {
  const annotation = 'storageclass.kubernetes.io/is-default-class';
  return classes.find(({ metadata }) => metadata.annotations?.[annotation] === 'true')?.metadata.name;
}

async function protect({ client }: VolumeContext, claim: PersistentVolumeClaim): Promise<PersistentVolumeClaim> {
  const finalizers = claim.metadata.finalizers ?? [];
  if (finalizers.includes(CLAIM_PROTECTION)) return claim;
  const { uid, resourceVersion } = claim.metadata;
  const body = { metadata: { uid, resourceVersion, finalizers: [...finalizers, CLAIM_PROTECTION] } };
  return client.patch(PERSISTENT_VOLUME_CLAIM, addressOf(claim), { type: 'merge', body });
}

/** Lets a claim go once no pod uses it; each pod that ends brings us back here. */
async function release(context: VolumeContext, claim: PersistentVolumeClaim): Promise<void> {
  const finalizers = claim.metadata.finalizers ?? [];
  if (!finalizers.includes(CLAIM_PROTECTION)) return;
  const pods = context.caches.of<Pod>(POD).byIndex(BY_NAMESPACE, claim.metadata.namespace ?? '');
  if (usersOf(claim, pods).length > 0) return;
  // The cache may not show a pod made a moment ago: the server is asked before data is let go.
  const live = await context.client.list<Pod>(POD, { namespace: claim.metadata.namespace ?? '' });
  if (usersOf(claim, live.items).length > 0) return;
  const { uid, resourceVersion } = claim.metadata;
  const rest = finalizers.filter((finalizer) => finalizer !== CLAIM_PROTECTION);
  const body = { metadata: { uid, resourceVersion, finalizers: rest } };
  try {
    await context.client.patch(PERSISTENT_VOLUME_CLAIM, addressOf(claim), { type: 'merge', body });
  } catch (error) {
    if (!isKubeError(error, 'NotFound')) throw error;
  }
}

async function provision(
  context: VolumeContext,
  claim: PersistentVolumeClaim,
  storageClass: StorageClass,
): Promise<void> {
  const name = volumeName(claim);
  const { namespace = '', uid } = claim.metadata;
  const volume: PersistentVolume = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: {
      name,
      annotations: { 'pv.kubernetes.io/provisioned-by': PROVISIONER },
      finalizers: [VOLUME_PROTECTION],
    },
    spec: {
      accessModes: claim.spec.accessModes ?? ['ReadWriteOnce'],
      capacity: { storage: claim.spec.resources?.requests?.storage ?? '1Gi' },
      storageClassName: storageClass.metadata.name,
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
      volumeMode: 'Filesystem',
      claimRef: {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        namespace,
        name: claim.metadata.name,
        ...(uid ? { uid } : {}),
      },
      hostPath: { path: `${context.volumesDirectory}/${name}`, type: 'DirectoryOrCreate' },
    },
  };
  try {
    await context.client.create(PERSISTENT_VOLUME, volume);
    const message = `Successfully provisioned volume ${name}`;
    context.events.record(claim, { type: 'Normal', reason: 'ProvisioningSucceeded', message });
  } catch (error) {
    if (!isKubeError(error, 'AlreadyExists')) throw error;
  }
  const { resourceVersion } = claim.metadata;
  const annotations = { 'pv.kubernetes.io/bind-completed': 'yes', 'pv.kubernetes.io/bound-by-controller': 'yes' };
  const body = {
    metadata: { uid, resourceVersion, annotations },
    spec: {
      volumeName: name,
      ...(claim.spec.storageClassName === undefined ? { storageClassName: storageClass.metadata.name } : {}),
    },
  };
  const bound = await context.client.patch<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIM, addressOf(claim), {
    type: 'merge',
    body,
  });
  await writeStatus(context, bound, {
    phase: 'Bound',
    accessModes: volume.spec.accessModes ?? [],
    capacity: volume.spec.capacity ?? {},
  });
}

/** A claim that names its volume is bound when the volume is there and is for it. */
async function settle(context: VolumeContext, claim: PersistentVolumeClaim, name: string): Promise<void> {
  const volume = context.caches.of<PersistentVolume>(PERSISTENT_VOLUME).get(name);
  if (!volume) {
    if (claim.status?.phase === 'Bound') await writeStatus(context, claim, { ...claim.status, phase: 'Lost' });
    return;
  }
  if (volume.spec.claimRef && !isBoundTo(volume, claim)) {
    return refuse(context, claim, `volume "${name}" is bound to another claim`);
  }
  if (!volume.spec.claimRef?.uid) {
    const { namespace, name: claimName, uid } = claim.metadata;
    const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name: claimName, uid };
    const body = { metadata: { resourceVersion: volume.metadata.resourceVersion }, spec: { claimRef } };
    await context.client.patch(PERSISTENT_VOLUME, { name }, { type: 'merge', body });
  }
  const { accessModes = [], capacity = {} } = volume.spec;
  await writeStatus(context, claim, { phase: 'Bound', accessModes, capacity });
}

async function refuse(context: VolumeContext, claim: PersistentVolumeClaim, message: string): Promise<void> {
  context.events.record(claim, { type: 'Warning', reason: 'ProvisioningFailed', message });
  await writeStatus(context, claim, { phase: 'Pending' });
}

async function writeStatus(
  { client }: VolumeContext,
  claim: PersistentVolumeClaim,
  status: NonNullable<PersistentVolumeClaim['status']>,
): Promise<void> {
  if (stableJson({ ...claim.status, ...status }) === stableJson(claim.status ?? {})) return;
  const body = { metadata: { uid: claim.metadata.uid }, status };
  await client.patch(PERSISTENT_VOLUME_CLAIM, addressOf(claim), { type: 'merge', body }, { subresource: 'status' });
}
