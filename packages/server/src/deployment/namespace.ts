import { PLANS, type PlanName } from '@berth/core/plans';
import {
  DELIVERY_SECRET_KEY,
  DELIVERY_SECRET_NAME,
  LABELS,
  SECRET_STORE_NAME,
  SERVER_MANAGER,
} from '@berth/core/user-deployment';
import { apiVersionOf, type KubeObject, type ResourceType } from '@berth/kube/schema/object';
import { LIMIT_RANGE, NAMESPACE, NETWORK_POLICY, RESOURCE_QUOTA, SECRET } from '@berth/kube/schema/resources';
import { SECRET_STORE } from '../kubernetes/resource-types.ts';

/** What every team's namespace holds before anything runs in it. Pure builders: the applier applies them in this order. */
export interface TeamNamespace {
  teamId: string;
  namespace: string;
  plan: PlanName;
}

/** Where the cluster reaches the server's internal endpoint, and whom it trusts there. */
export interface Delivery {
  /** As in `https://berth-server.berth:8443`. */
  url: string;
  /** PEM. */
  authority: string;
}

export interface DesiredObject {
  type: ResourceType;
  object: KubeObject;
}

const PLAN_OBJECT = 'berth-plan';
const DENY_OBJECT = 'berth-default-deny';
/** For a container that asks for nothing; a quota on requests refuses one without. */
export const DEFAULT_REQUEST = { cpu: '50m', memory: '64Mi' };
/** External Secrets uses a Secret in a webhook only with this label. */
export const DELIVERY_SECRET_LABELS = { 'external-secrets.io/type': 'webhook' };

export function namespaceObjects(team: TeamNamespace, delivery: Delivery): DesiredObject[] {
  return [
    { type: NAMESPACE, object: namespaceObject(team) },
    { type: RESOURCE_QUOTA, object: resourceQuota(team) },
    { type: LIMIT_RANGE, object: limitRange(team) },
    { type: NETWORK_POLICY, object: defaultDeny(team) },
    { type: SECRET_STORE, object: secretStore(team, delivery) },
  ];
}

const POD_SECURITY = 'pod-security.kubernetes.io';

/** Those without which nothing may run there. */
export function namespaceLabels({ teamId }: TeamNamespace): Record<string, string> {
  return { [LABELS.team]: teamId, [`${POD_SECURITY}/enforce`]: 'restricted' };
}

function namespaceObject(team: TeamNamespace): KubeObject {
  const labels = {
    ...namespaceLabels(team),
    [LABELS.managedBy]: SERVER_MANAGER,
    [`${POD_SECURITY}/enforce-version`]: 'latest',
    [`${POD_SECURITY}/warn`]: 'restricted',
    [`${POD_SECURITY}/audit`]: 'restricted',
  };
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: team.namespace, labels } };
}

function resourceQuota(team: TeamNamespace): KubeObject {
  const { cpu, memory, storage } = PLANS[team.plan];
  const hard = {
    ...(cpu !== undefined && { 'requests.cpu': cpu }),
    ...(memory !== undefined && { 'requests.memory': memory }),
    ...(storage !== undefined && { 'requests.storage': storage }),
  };
  return inNamespace(RESOURCE_QUOTA, team, { name: PLAN_OBJECT, spec: { hard } });
}

function limitRange(team: TeamNamespace): KubeObject {
  const limits = [{ type: 'Container', defaultRequest: DEFAULT_REQUEST }];
  return inNamespace(LIMIT_RANGE, team, { name: PLAN_OBJECT, spec: { limits } });
}

/** Nothing comes in and nothing goes out but questions for names; policies of services open what a template declares. */
function defaultDeny(team: TeamNamespace): KubeObject {
  const dns = [
    { protocol: 'UDP', port: 53 },
    { protocol: 'TCP', port: 53 },
  ];
  const spec = { podSelector: {}, policyTypes: ['Ingress', 'Egress'], egress: [{ ports: dns }] };
  return inNamespace(NETWORK_POLICY, team, { name: DENY_OBJECT, spec });
}

function secretStore(team: TeamNamespace, delivery: Delivery): KubeObject {
  const webhook = {
    url: `${delivery.url}/internal/secrets/{{ .remoteRef.key }}`,
    headers: { Authorization: `Bearer {{ .delivery.${DELIVERY_SECRET_KEY} }}` },
    result: { jsonPath: '$.value' },
    caBundle: Buffer.from(delivery.authority).toString('base64'),
    secrets: [{ name: 'delivery', secretRef: { name: DELIVERY_SECRET_NAME } }],
  };
  return inNamespace(SECRET_STORE, team, { name: SECRET_STORE_NAME, spec: { provider: { webhook } } });
}

export function deliverySecret(team: TeamNamespace, credential: string): KubeObject {
  const secret = inNamespace(SECRET, team, { name: DELIVERY_SECRET_NAME });
  const labels = { ...secret.metadata.labels, ...DELIVERY_SECRET_LABELS };
  const data = { [DELIVERY_SECRET_KEY]: Buffer.from(credential).toString('base64') };
  return { ...secret, metadata: { ...secret.metadata, labels }, type: 'Opaque', data };
}

function inNamespace(
  type: ResourceType,
  team: TeamNamespace,
  { name, spec }: { name: string; spec?: object },
): KubeObject {
  const labels = { [LABELS.team]: team.teamId, [LABELS.managedBy]: SERVER_MANAGER };
  return {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    metadata: { name, namespace: team.namespace, labels },
    ...(spec && { spec }),
  };
}
