import { LABELS, type UserDeploymentSpec } from '@berth/core/user-deployment';
import { type Job, jobOutcome } from '@berth/kube/schema/kinds/batch';
import type { KubeObject } from '@berth/kube/schema/object';
import { CONFIG_MAP, DEPLOYMENT, JOB, PERSISTENT_VOLUME_CLAIM } from '@berth/kube/schema/resources';
import type { Pod, PodTemplate } from '../kinds.ts';
import { type Child, childKey, type Owner } from './desired/child.ts';
import { desiredChildren, type Wanted } from './desired/desired-children.ts';
import { podTemplateOf, TEMPLATE_HASH_ANNOTATION } from './desired/pod-template.ts';
import { type Course, isKept } from './effective-spec.ts';
import type { LastGood } from './last-good.ts';
import type { Owned, Situation } from './situation.ts';

/** What two versions of one deployment need at the same time, and how they are told apart. */
export interface Versions {
  wanted: UserDeploymentSpec | undefined;
  specHash: string | undefined;
  lastGood: LastGood | undefined;
  course: Course;
}

type Common = Pick<Wanted, 'owner' | 'grantedHosts' | 'claimSizes' | 'templateHashes' | 'options'>;

export function childrenOf({ wanted, specHash, lastGood, course }: Versions, common: Common): Child[] {
  if (!course.spec) return [];
  return desiredChildren({
    ...common,
    spec: course.spec,
    specHash: (isKept(course, wanted) ? lastGood?.specHash : specHash) ?? '',
    before: course.state === 'progressing' ? lastGood?.spec : undefined,
    secretVersion: (wanted ?? course.spec).secretVersion,
  });
}

/**
 * What is not pruned though the children do not name it: while a version is on its way all of the one before, since it may come
 * back; while it is not, the volumes and runs of the wanted one, which must not be lost or done twice; and files of pods. Only the
 * run that stopped the update goes if it has not ended: its image may come, and it would then run for a version that is not wanted.
 */
export function stayingOf(versions: Versions, { common, owned, pods, culprit }: StayingParts): Set<string> {
  const { wanted, specHash, lastGood, course } = versions;
  const other = (spec: UserDeploymentSpec, hash: string) =>
    desiredChildren({ ...common, spec, specHash: hash, secretVersion: spec.secretVersion });
  const stays = new Set(filesInUse(owned, pods));
  const add = (children: readonly Child[]) => {
    for (const { type, object } of children) stays.add(childKey(type, object.metadata.name));
  };
  if (course.state === 'progressing' && lastGood) add(other(lastGood.spec, lastGood.specHash));
  if (isKept(course, wanted) && wanted) {
    add(
      other(wanted, specHash ?? '').filter(
        ({ type, service }) => type === PERSISTENT_VOLUME_CLAIM || (type === JOB && service !== culprit),
      ),
    );
    for (const { type, object } of owned.filter(hasEnded)) stays.add(childKey(type, object.metadata.name));
  }
  return stays;
}

interface StayingParts {
  common: Common;
  owned: readonly Owned[];
  pods: readonly Pod[];
  /** The service or job that stopped the update. */
  culprit: string | undefined;
}

/** Its log is still of interest. */
function hasEnded({ type, object }: Owned): boolean {
  return type === JOB && jobOutcome(object as Job) !== undefined;
}

/** Of the pods that a Deployment makes. */
export function templateHashOf(object: KubeObject | undefined): string | undefined {
  const { template } = (object?.spec ?? {}) as { template?: PodTemplate };
  return template?.metadata?.annotations?.[TEMPLATE_HASH_ANNOTATION];
}

/** Of each Deployment that stands, by the name of its service. */
export function templateHashesOf(owned: readonly Owned[]): Map<string, string> {
  const hashes = new Map<string, string>();
  for (const { type, object } of owned) {
    const [service, hash] = [object.metadata.labels?.[LABELS.service], templateHashOf(object)];
    if (type === DEPLOYMENT && service !== undefined && hash !== undefined) hashes.set(service, hash);
  }
  return hashes;
}

/** Does the wanted version make other pods of this service than the last good one, or another number of them? */
export function isTouched({ owner, spec, lastGood }: Situation, service: string): 'pods' | 'count' | undefined {
  const of = (each: UserDeploymentSpec | undefined) => {
    const found = each?.services.find(({ name }) => name === service);
    return found && each && { replicas: found.replicas ?? 1, hash: podHash(owner, found, each) };
  };
  const [now, before] = [of(spec), of(lastGood?.spec)];
  if (now?.hash !== before?.hash) return 'pods';
  return now?.replicas === before?.replicas ? undefined : 'count';
}

function podHash(owner: Owner, service: UserDeploymentSpec['services'][number], spec: UserDeploymentSpec) {
  return podTemplateOf(owner, service, { spec, options: {} }).metadata.annotations[TEMPLATE_HASH_ANNOTATION];
}

function filesInUse(owned: readonly Owned[], pods: readonly Pod[]): string[] {
  const templates = owned.map(({ object }) => ((object.spec ?? {}) as { template?: PodTemplate }).template?.spec);
  return [...templates, ...pods.map(({ spec }) => spec)]
    .flatMap((spec) => spec?.volumes ?? [])
    .flatMap(({ configMap }) => (configMap?.name ? [childKey(CONFIG_MAP, configMap.name)] : []));
}
