import { LABELS } from '@berth/core/user-deployment';
import type { KubeClient } from '@berth/kube/client/client';
import { controllerOf } from '@berth/kube/client/owner';
import type { KubeObject } from '@berth/kube/schema/object';
import { PERSISTENT_VOLUME_CLAIM } from '@berth/kube/schema/resources';
import { isKubeError } from '@berth/kube/schema/status';
import type { UserDeployment } from '../../kubernetes/user-deployment.ts';
import { BY_DEPLOYMENT, BY_SUBJECT, type Caches, CHILD_TYPES, subjectKey } from '../caches.ts';
import type { PersistentVolumeClaim, Pod, WarningEvent } from '../kinds.ts';
import { type Child, childKey, type Owner } from './desired/child.ts';
import type { ChildOptions } from './desired/desired-children.ts';
import { courseOf } from './effective-spec.ts';
import { type ControllerRevision, readLastGood, specHashOf } from './last-good.ts';
import type { Owned, Situation } from './situation.ts';
import { readSpec } from './valid-spec.ts';
import { childrenOf, stayingOf, templateHashesOf } from './versions.ts';
import { claimWords } from './words/volume.ts';

const NONE_TAKEN: ReadonlySet<string> = new Set();

export interface GatherDependencies {
  caches: Caches;
  client: Pick<KubeClient, 'get'>;
  options: ChildOptions;
  now: () => number;
}

/**
 * Reads the caches, and asks the server for names that turned out to be taken (`taken`, by `childKey`) though no cache knows
 * them: what stands there may be anybody's.
 */
export async function gather(
  userDeployment: UserDeployment,
  dependencies: GatherDependencies,
  taken: ReadonlySet<string> = NONE_TAKEN,
): Promise<Situation> {
  const { caches, options, now } = dependencies;
  const owner = ownerOf(userDeployment, caches);
  const key = `${owner.namespace}/${owner.name}`;
  const { spec: wanted, problems } = readSpec(userDeployment);
  const specHash = wanted && specHashOf(wanted);
  const lastGood = readLastGood(versionsOf(owner, key, caches));
  const course = courseOf({ wanted, specHash, lastGood, update: userDeployment.status?.update });
  const versions = { wanted, specHash, lastGood, course };
  const owned = ownedBy(owner, key, caches);
  const grantedHosts = userDeployment.status?.grantedHosts ?? [];
  const claimSizes = claimSizesOf(owned);
  const common = { owner, grantedHosts, claimSizes, templateHashes: templateHashesOf(owned), options };
  const children = childrenOf(versions, common);
  const pods = caches.pods.byIndex(BY_DEPLOYMENT, key);
  return {
    userDeployment,
    owner,
    problems,
    ...versions,
    spec: course.spec,
    children,
    staying: stayingOf(versions, { common, owned, pods, culprit: userDeployment.status?.update?.service }),
    present: await presentOf(children, taken, dependencies),
    owned,
    pods: podsByService(pods),
    secrets: new Map(caches.secrets.byIndex(BY_DEPLOYMENT, key).map((secret) => [secret.metadata.name, secret])),
    deliveryProblems: deliveryProblems(key, caches),
    warnings: new Map(
      pods.map(({ metadata }) => [metadata.name, warningsOf({ kind: 'Pod', ...metadata }, owner, caches)]),
    ),
    volumeProblems: volumeProblems(owned, owner, caches),
    now: now(),
  };
}

export function ownerOf(userDeployment: UserDeployment, caches: Pick<Caches, 'namespaces'>): Owner {
  const { name, namespace = '', uid = '' } = userDeployment.metadata;
  return { name, namespace, uid, team: caches.namespaces.get(namespace)?.metadata.labels?.[LABELS.team] };
}

function ownedBy(owner: Owner, key: string, caches: Caches): Owned[] {
  return CHILD_TYPES.flatMap((type) =>
    (caches.children.get(type.kind)?.byIndex(BY_DEPLOYMENT, key) ?? [])
      .filter((object) => controllerOf(object)?.uid === owner.uid)
      .map((object) => ({ type, object })),
  );
}

/** Ours alone: what is brought back must not come from anybody else. */
export function versionsOf(owner: Owner, key: string, { versions }: Pick<Caches, 'versions'>): ControllerRevision[] {
  return versions.byIndex(BY_DEPLOYMENT, key).filter((object) => controllerOf(object)?.uid === owner.uid);
}

async function presentOf(
  children: readonly Child[],
  taken: ReadonlySet<string>,
  { caches, client }: GatherDependencies,
): Promise<Map<string, KubeObject>> {
  const found = await Promise.all(
    children.map(async ({ type, object }) => {
      const { name, namespace = '' } = object.metadata;
      const key = childKey(type, name);
      const cached = caches.children.get(type.kind)?.get(`${namespace}/${name}`);
      return [key, cached ?? (taken.has(key) ? await find(client, { type, name, namespace }) : undefined)] as const;
    }),
  );
  return new Map(found.filter((entry): entry is [string, KubeObject] => entry[1] !== undefined));
}

async function find(
  client: Pick<KubeClient, 'get'>,
  { type, name, namespace }: Pick<Child, 'type'> & { name: string; namespace: string },
): Promise<KubeObject | undefined> {
  try {
    return await client.get(type, { name, namespace });
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return undefined;
    throw error;
  }
}

function claimSizesOf(owned: readonly Owned[]): Map<string, string> {
  const sizes = new Map<string, string>();
  for (const { type, object } of owned) {
    if (type !== PERSISTENT_VOLUME_CLAIM) continue;
    const size = (object as PersistentVolumeClaim).spec.resources?.requests?.storage;
    if (size !== undefined) sizes.set(object.metadata.name, size);
  }
  return sizes;
}

function podsByService(pods: readonly Pod[]): Map<string, Pod[]> {
  const byService = new Map<string, Pod[]>();
  for (const pod of pods) {
    const service = pod.metadata.labels?.[LABELS.service];
    if (service === undefined) continue;
    byService.set(service, [...(byService.get(service) ?? []), pod]);
  }
  return byService;
}

function deliveryProblems(key: string, caches: Caches): Map<string, string> {
  const problems = new Map<string, string>();
  for (const { metadata, status } of caches.externalSecrets.byIndex(BY_DEPLOYMENT, key)) {
    const ready = status?.conditions?.find((condition) => condition.type === 'Ready');
    if (ready?.status === 'False') problems.set(metadata.name, ready.message ?? ready.reason ?? 'not ready');
  }
  return problems;
}

/** Of claims that no volume is bound to. */
function volumeProblems(owned: readonly Owned[], owner: Owner, caches: Caches): Map<string, string> {
  const problems = new Map<string, string>();
  for (const { type, object } of owned) {
    const service = object.metadata.labels?.[LABELS.service];
    if (type !== PERSISTENT_VOLUME_CLAIM || service === undefined) continue;
    const { spec, status } = object as PersistentVolumeClaim;
    if (status?.phase === 'Bound') continue;
    const [warning] = warningsOf({ kind: type.kind, name: object.metadata.name }, owner, caches);
    problems.set(service, claimWords({ className: spec.storageClassName, warning: warning?.message }));
  }
  return problems;
}

function warningsOf({ kind, name }: { kind: string; name: string }, owner: Owner, caches: Caches): WarningEvent[] {
  const events = caches.warnings.byIndex(BY_SUBJECT, subjectKey(owner.namespace, kind, name));
  return [...events].sort((a, b) => (b.lastTimestamp ?? '').localeCompare(a.lastTimestamp ?? ''));
}
