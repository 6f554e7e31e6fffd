import { gunzipSync, gzipSync } from 'node:zlib';
import { versionName } from '@berth/core/names';
import { ANNOTATIONS, type UserDeploymentSpec, userDeploymentSpecSchema } from '@berth/core/user-deployment';
import { apiVersionOf, type KubeObject } from '@berth/kube/schema/object';
import { CONTROLLER_REVISION } from '@berth/kube/schema/resources';
import type { UserDeployment } from '../../kubernetes/user-deployment.ts';
import { sha256 } from '../sha256.ts';
import { childLabels, type Owner, ownerReference } from './desired/child.ts';
import { readKnown } from './read-known.ts';

/**
 * The last good version of a deployment: the spec of which everything was ready at once. It is kept in the cluster, in a
 * `ControllerRevision` that goes with the UserDeployment; only the newest is kept.
 *
 *     metadata.name                                of the spec's hash, since the data of a ControllerRevision never changes
 *     metadata.annotations[berth.dev/spec-hash]    the hash
 *     metadata.annotations[berth.dev/revision]     the revision that the spec came from last, for people
 *     revision                                     the generation at which it became good
 *     data                                         {spec}, or {gzip} in base64 where the spec is large
 */
export interface LastGood {
  spec: UserDeploymentSpec;
  specHash: string;
  /** The revision annotation of the resource it came from. */
  revision: string | undefined;
  object: ControllerRevision;
}

export interface ControllerRevision extends KubeObject {
  data?: { spec?: unknown; gzip?: string };
  revision: number;
}

/** Above this the spec is packed: two copies of the largest one must fit beside each other in memory and on disk. */
const PLAIN_BYTES = 64 * 1024;

/**
 * What makes two specs the same version. A title, its addresses, where it came from, and whether it is stopped or paused are no
 * part of it: they change nothing about the pods, and must neither begin an update nor try a stopped one again.
 */
export function specHashOf(spec: UserDeploymentSpec): string {
  const { services, jobs, secretKeys, secretVersion, restartedAt } = spec;
  const version = [services, jobs, secretKeys, secretVersion, restartedAt];
  return sha256(JSON.stringify(version)).slice(0, 32);
}

/** The newest that can be read. One of an older operator that breaks a rule of today is none. */
export function readLastGood(revisions: readonly ControllerRevision[]): LastGood | undefined {
  for (const object of newestFirst(revisions)) {
    const spec = specOf(object);
    if (!spec) continue;
    return { spec, specHash: specHashOf(spec), revision: object.metadata.annotations?.[ANNOTATIONS.revision], object };
  }
  return undefined;
}

export function lastGoodObject(
  owner: Owner,
  userDeployment: UserDeployment,
  { spec, specHash }: { spec: UserDeploymentSpec; specHash: string },
): ControllerRevision {
  const revision = userDeployment.metadata.annotations?.[ANNOTATIONS.revision];
  const annotations = {
    [ANNOTATIONS.specHash]: specHash,
    ...(revision !== undefined && { [ANNOTATIONS.revision]: revision }),
  };
  return {
    apiVersion: apiVersionOf(CONTROLLER_REVISION),
    kind: CONTROLLER_REVISION.kind,
    metadata: {
      name: versionName(owner.name, specHash),
      namespace: owner.namespace,
      labels: childLabels(owner),
      annotations,
      ownerReferences: [ownerReference(owner)],
    },
    revision: userDeployment.metadata.generation ?? 0,
    data: packed(spec),
  };
}

function newestFirst(revisions: readonly ControllerRevision[]): ControllerRevision[] {
  return [...revisions].sort((a, b) => b.revision - a.revision);
}

function packed(spec: UserDeploymentSpec): NonNullable<ControllerRevision['data']> {
  const text = JSON.stringify(spec);
  return text.length <= PLAIN_BYTES ? { spec } : { gzip: gzipSync(text).toString('base64') };
}

/** Cached objects are the same until they change, so a large spec is unpacked once. */
const READ = new WeakMap<ControllerRevision, UserDeploymentSpec | undefined>();

function specOf(object: ControllerRevision): UserDeploymentSpec | undefined {
  if (!READ.has(object)) READ.set(object, unpacked(object.data));
  return READ.get(object);
}

function unpacked(data: ControllerRevision['data']): UserDeploymentSpec | undefined {
  const parsed = readKnown(userDeploymentSpecSchema, data?.gzip === undefined ? data?.spec : unzipped(data.gzip));
  return parsed.success ? parsed.data : undefined;
}

function unzipped(gzip: string): unknown {
  try {
    return JSON.parse(gunzipSync(Buffer.from(gzip, 'base64')).toString());
  } catch {
    // Somebody has written over it: there is nothing to go back to, which the caller says.
    return undefined;
  }
}
