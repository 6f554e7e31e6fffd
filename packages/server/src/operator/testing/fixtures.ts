import type { Service } from '@berth/core/service';
import {
  API_VERSION,
  CONDITIONS,
  type UserDeploymentSpec,
  type UserDeploymentStatus,
} from '@berth/core/user-deployment';
import type { KubeObject } from '@berth/kube/schema/object';
import type { UserDeployment } from '../../kubernetes/user-deployment.ts';
import type { Child, Owner } from '../user-deployment/desired/child.ts';
import { childKey } from '../user-deployment/desired/child.ts';
import { courseOf } from '../user-deployment/effective-spec.ts';
import { specHashOf } from '../user-deployment/last-good.ts';
import type { Situation } from '../user-deployment/situation.ts';
import { readSpec } from '../user-deployment/valid-spec.ts';
import { childrenOf, stayingOf, templateHashesOf } from '../user-deployment/versions.ts';

/** What tests of the operator are about, each with just what the test needs to say. */
export const NAMESPACE = 'berth-aaaaaaaaaaaaaaaa';
export const AT = Date.UTC(2026, 0, 1);
export const OPTIONS = { ingressClassName: 'berth' };

export function owner(parts: Partial<Owner> = {}): Owner {
  return { name: 'shop', namespace: NAMESPACE, uid: 'uid-1', team: 'aaaaaaaaaaaaaaaa', ...parts };
}

export function service(parts: Partial<Service> = {}): Service {
  return { name: 'web', image: 'berth.dev/whoami:1', ports: [{ name: 'http', port: 8080 }], ...parts };
}

export function database(parts: Partial<Service> = {}): Service {
  return {
    name: 'database',
    image: 'berth.dev/postgres:18',
    ports: [{ name: 'postgres', port: 5432 }],
    env: [{ name: 'POSTGRES_PASSWORD', secretKey: 'password' }],
    volumes: [{ name: 'data', mountPath: '/var/lib/postgresql/data', size: '1Gi' }],
    ...parts,
  };
}

export function spec(parts: Partial<UserDeploymentSpec> = {}): UserDeploymentSpec {
  return { services: [service()], ...parts };
}

/** A web service that waits for a database with a secret and a volume, on one host. */
export function guestbookSpec(): UserDeploymentSpec {
  return spec({
    services: [service({ dependsOn: ['database'] }), database()],
    exposure: [{ host: 'shop.localhost', service: 'web', port: 'http' }],
    secretKeys: ['password'],
    secretVersion: 'v1',
  });
}

export function admittedStatus(hosts: string[] = [], now = AT): UserDeploymentStatus {
  const lastTransitionTime = new Date(now).toISOString();
  const granted = { status: 'True', message: '', lastTransitionTime } as const;
  return {
    grantedHosts: hosts,
    conditions: [
      { type: CONDITIONS.admitted, reason: 'WithinPlan', ...granted },
      { type: CONDITIONS.hostsClaimed, reason: 'Claimed', ...granted },
    ],
  };
}

export function userDeployment(
  parts: { spec?: UserDeploymentSpec; status?: UserDeploymentStatus; name?: string } = {},
) {
  const { name = 'shop', status = admittedStatus(['shop.localhost']) } = parts;
  const resource: UserDeployment = {
    apiVersion: API_VERSION,
    kind: 'UserDeployment',
    metadata: { name, namespace: NAMESPACE, uid: 'uid-1', generation: 1 },
    spec: parts.spec ?? spec(),
    status,
  };
  return resource;
}

/** Of a resource and what stands, the situation that a gather would find. */
export function situation(parts: Partial<Situation> & { userDeployment: UserDeployment }): Situation {
  const { spec: wanted, problems } = readSpec(parts.userDeployment);
  const specHash = wanted && specHashOf(wanted);
  const { lastGood } = parts;
  const course = courseOf({ wanted, specHash, lastGood, update: parts.userDeployment.status?.update });
  const versions = { wanted, specHash, lastGood, course };
  const grantedHosts = parts.userDeployment.status?.grantedHosts ?? [];
  const whose = owner({ name: parts.userDeployment.metadata.name });
  const templateHashes = templateHashesOf(parts.owned ?? []);
  const common = { owner: whose, grantedHosts, claimSizes: new Map(), templateHashes, options: OPTIONS };
  const pods = [...(parts.pods?.values() ?? [])].flat();
  return {
    owner: whose,
    problems,
    ...versions,
    spec: course.spec,
    children: childrenOf(versions, common),
    staying: stayingOf(versions, { common, owned: parts.owned ?? [], pods, culprit: undefined }),
    present: new Map(),
    owned: [],
    pods: new Map(),
    secrets: new Map(),
    deliveryProblems: new Map(),
    warnings: new Map(),
    volumeProblems: new Map(),
    now: AT,
    ...parts,
  };
}

/** What stands when these children were applied, with a change where the test wants one. */
export function standing(children: readonly Child[], change: (object: KubeObject) => KubeObject = (object) => object) {
  return new Map(
    children.map(({ type, object }) => [childKey(type, object.metadata.name), change(structuredClone(object))]),
  );
}

export function keysOf(children: readonly Child[]): string[] {
  return children.map(({ type, object }) => childKey(type, object.metadata.name));
}
