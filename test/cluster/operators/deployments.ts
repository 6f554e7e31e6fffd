import { type Condition, findCondition } from '@berth/core/conditions';
import { namespaceOf } from '@berth/core/names';
import { API_VERSION, CONDITIONS, LABELS, SERVER_MANAGER, type UserDeploymentSpec } from '@berth/core/user-deployment';
import type { KubeClient } from '@berth/kube/client/client';
import { controllerOf } from '@berth/kube/client/owner';
import type { KubeObject } from '@berth/kube/schema/object';
import { DEPLOYMENT, NAMESPACE } from '@berth/kube/schema/resources';
import { isKubeError } from '@berth/kube/schema/status';
import { USER_DEPLOYMENT } from '@berth/server/kubernetes/resource-types';
import type { UserDeployment } from '@berth/server/kubernetes/user-deployment';
import { CHILD_TYPES } from '@berth/server/operator/caches';

/** UserDeployments as the platform makes them: two services, one of which waits for the other, a file, an address. */
export interface At {
  name: string;
  namespace: string;
}

export const CHILDREN = [
  'ConfigMap',
  'Deployment',
  'Deployment',
  'Ingress',
  'NetworkPolicy',
  'NetworkPolicy',
  'Service',
  'Service',
] as const;

export async function makeTeam(client: KubeClient, team: string): Promise<string> {
  const name = namespaceOf(team);
  const metadata = { name, labels: { [LABELS.team]: team } };
  await client.apply(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata }, { fieldManager: 'test' });
  return name;
}

export async function wantVersion(client: KubeClient, at: At, version: number): Promise<UserDeployment> {
  const object = {
    apiVersion: API_VERSION,
    kind: 'UserDeployment',
    metadata: { ...at, annotations: { 'berth.dev/revision': String(version) } },
    spec: specOf(at.name, version),
  };
  return client.apply<UserDeployment>(USER_DEPLOYMENT, object, { fieldManager: SERVER_MANAGER, force: true });
}

/** What the server says of each one that is within its plan. */
export async function admit(client: KubeClient, at: At): Promise<void> {
  const granted = { status: 'True', message: '', lastTransitionTime: new Date().toISOString() } as const;
  const conditions: Condition[] = [
    { type: CONDITIONS.admitted, reason: 'WithinPlan', ...granted },
    { type: CONDITIONS.hostsClaimed, reason: 'Claimed', ...granted },
  ];
  const status = { grantedHosts: [hostOf(at.name)], conditions };
  const object = { apiVersion: API_VERSION, kind: 'UserDeployment', metadata: { ...at }, status };
  await client.apply(USER_DEPLOYMENT, object, { subresource: 'status', fieldManager: SERVER_MANAGER, force: true });
}

function specOf(name: string, version: number): UserDeploymentSpec {
  return {
    services: [
      {
        name: 'web',
        image: 'berth.dev/whoami:1',
        ports: [{ name: 'http', port: 8080 }],
        env: [{ name: 'VERSION', value: String(version) }],
        files: [{ path: '/etc/version', content: String(version) }],
        probes: { readiness: { http: { path: '/', port: 'http' } } },
        dependsOn: ['api'],
      },
      {
        name: 'api',
        image: 'berth.dev/whoami:1',
        ports: [{ name: 'http', port: 8080 }],
        probes: { readiness: { http: { path: '/', port: 'http' } } },
      },
    ],
    exposure: [{ host: hostOf(name), service: 'web', port: 'http' }],
  };
}

function hostOf(name: string): string {
  return `${name}.apps.test`;
}

/** Whether this version, and nothing else, is what runs and what the status speaks of. */
export async function runsVersion(client: KubeClient, at: At, version: number): Promise<boolean> {
  const resource = await find(client, at);
  if (resource === undefined || resource.status?.observedGeneration !== resource.metadata.generation) return false;
  if (findCondition(resource.status?.conditions, CONDITIONS.ready)?.status !== 'True') return false;
  if (resource.status?.update?.state !== 'complete') return false;
  const web = await client.get<KubeObject>(DEPLOYMENT, { name: `${at.name}-web`, namespace: at.namespace });
  return JSON.stringify(web.spec).includes(`"VERSION","value":"${version}"`);
}

export async function find(client: KubeClient, at: At): Promise<UserDeployment | undefined> {
  try {
    return await client.get<UserDeployment>(USER_DEPLOYMENT, at);
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** Everything of one kind of child or another that carries the label of any deployment. */
export async function allChildren(client: KubeClient): Promise<KubeObject[]> {
  const lists = await Promise.all(CHILD_TYPES.map((type) => client.list(type, { labelSelector: LABELS.deployment })));
  return lists.flatMap(({ items }) => items);
}

/** What is not as it should be: a child too many or too few, or one of an owner that is not there. */
export async function disorder(client: KubeClient, expected: readonly At[]): Promise<string[]> {
  const children = await allChildren(client);
  const owners = await Promise.all(expected.map((at) => find(client, at)));
  const uids = new Set(owners.map((owner) => owner?.metadata.uid));
  const orphans = children
    .filter((child) => !uids.has(controllerOf(child)?.uid))
    .map((child) => `orphan ${label(child)}`);
  const counts = expected.flatMap((at, index) => {
    const own = children.filter((child) => controllerOf(child)?.uid === owners[index]?.metadata.uid);
    const kinds = own.map(({ kind }) => kind).sort();
    return kinds.join() === CHILDREN.join() ? [] : [`${at.namespace}/${at.name} has ${kinds.join()}`];
  });
  return [...orphans, ...counts];
}

export function label({ kind, metadata }: KubeObject): string {
  return `${kind} ${metadata.namespace}/${metadata.name}`;
}
