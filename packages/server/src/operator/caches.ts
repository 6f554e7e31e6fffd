import { LABELS } from '@berth/core/user-deployment';
import type { KubeClient } from '@berth/kube/client/client';
import type { Clock } from '@berth/kube/client/clock';
import type { Logger } from '@berth/kube/client/logger';
import { type Reflector, type ReflectorOptions, withoutManagedFields } from '@berth/kube/client/reflector';
import { createScopedReflector } from '@berth/kube/client/scoped-reflector';
import type { KubeObject, ResourceType } from '@berth/kube/schema/object';
import {
  CONFIG_MAP,
  CONTROLLER_REVISION,
  CRON_JOB,
  DEPLOYMENT,
  EVENT,
  INGRESS,
  JOB,
  NAMESPACE,
  NETWORK_POLICY,
  PERSISTENT_VOLUME_CLAIM,
  POD,
  SECRET,
  SERVICE,
} from '@berth/kube/schema/resources';
import type { ExternalSecret } from '../kubernetes/external-secret.ts';
import { EXTERNAL_SECRET, SECRET_STORE, USER_DEPLOYMENT } from '../kubernetes/resource-types.ts';
import type { SecretStoreResource } from '../kubernetes/secret-store.ts';
import type { UserDeployment } from '../kubernetes/user-deployment.ts';
import type { Pod, Secret, SecretFacts, WarningEvent } from './kinds.ts';
import { slimEvent, slimPod, slimSecret } from './slim-objects.ts';
import type { ControllerRevision } from './user-deployment/last-good.ts';

/** What a reconcile may read: the copy that reflectors keep. Objects are shared and read-only. */
export type ReadCache<T extends KubeObject = KubeObject> = Pick<Reflector<T>, 'get' | 'byIndex'>;

/** The kinds that a UserDeployment owns, in the order in which they are made. */
export const CHILD_TYPES: readonly ResourceType[] = [
  NETWORK_POLICY,
  PERSISTENT_VOLUME_CLAIM,
  CONFIG_MAP,
  EXTERNAL_SECRET,
  SERVICE,
  JOB,
  CRON_JOB,
  DEPLOYMENT,
  INGRESS,
];

/** Index of everything with a deployment's label, by `namespace/deployment`. */
export const BY_DEPLOYMENT = 'deployment';
/** Index of UserDeployments, ExternalSecrets and the like by their namespace. */
export const BY_NAMESPACE = 'namespace';
/** Index of events, by `namespace/kind/name` of what they are about. */
export const BY_SUBJECT = 'subject';

export interface Caches {
  userDeployments: Reflector<UserDeployment>;
  namespaces: Reflector;
  /** By kind; holds every kind of `CHILD_TYPES`. */
  children: ReadonlyMap<string, Reflector>;
  /** The last good version of each UserDeployment. */
  versions: Reflector<ControllerRevision>;
  pods: Reflector<Pod>;
  secrets: Reflector<SecretFacts>;
  warnings: Reflector<WarningEvent>;
  externalSecrets: Reflector<ExternalSecret>;
  secretStores: Reflector<SecretStoreResource>;
}

export interface CacheOptions {
  client: KubeClient;
  logger: Logger;
  clock: Clock;
  /** All of the cluster's when absent. */
  namespaces?: readonly string[] | undefined;
}

/** One reflector a kind, over all namespaces, of what carries a deployment's label and nothing else of the cluster. */
export function createCaches(base: CacheOptions): Caches {
  const make = <T extends KubeObject>(type: ResourceType, more: Partial<ReflectorOptions<T>> = {}): Reflector<T> =>
    createScopedReflector<T>({ ...base, type, transform: withoutManagedFields, ...more });
  const byNamespace = { [BY_NAMESPACE]: namespacesOf };
  const indexers = { [BY_DEPLOYMENT]: deploymentKeys, ...byNamespace };
  const labelled = { labelSelector: LABELS.deployment, indexers };
  const children = new Map(CHILD_TYPES.map((type) => [type.kind, make(type, labelled)]));
  return {
    userDeployments: make<UserDeployment>(USER_DEPLOYMENT, { indexers: byNamespace }),
    namespaces: make(NAMESPACE, { labelSelector: LABELS.team }),
    children,
    versions: make<ControllerRevision>(CONTROLLER_REVISION, labelled),
    pods: make<Pod>(POD, { ...labelled, transform: slimPod }),
    // The transform takes the values out before anything is kept.
    secrets: make<Secret>(SECRET, {
      ...labelled,
      transform: slimSecret as unknown as (secret: Secret) => Secret,
    }) as unknown as Reflector<SecretFacts>,
    warnings: make<WarningEvent>(EVENT, {
      fieldSelector: 'type=Warning',
      transform: slimEvent,
      indexers: { [BY_SUBJECT]: subjectKeys },
    }),
    externalSecrets: children.get(EXTERNAL_SECRET.kind) as unknown as Reflector<ExternalSecret>,
    secretStores: make<SecretStoreResource>(SECRET_STORE),
  };
}

/** The key of the UserDeployment whose label an object carries. */
export function deploymentKeys(object: KubeObject): string[] {
  const name = object.metadata.labels?.[LABELS.deployment];
  return name === undefined ? [] : [`${object.metadata.namespace}/${name}`];
}

function namespacesOf({ metadata }: KubeObject): string[] {
  return [metadata.namespace ?? ''];
}

export function subjectKey(namespace: string | undefined, kind: string, name: string): string {
  return `${namespace}/${kind}/${name}`;
}

function subjectKeys({ metadata, involvedObject }: WarningEvent): string[] {
  const { kind, name } = involvedObject ?? {};
  return kind && name ? [subjectKey(metadata.namespace, kind, name)] : [];
}
