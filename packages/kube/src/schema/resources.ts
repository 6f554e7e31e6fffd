import type { ResourceType } from './object.ts';

const core = (kind: string, plural: string, namespaced = true): ResourceType => ({
  group: '',
  version: 'v1',
  kind,
  plural,
  namespaced,
});
const named = (group: string, version: string, kind: string, plural: string, namespaced = true): ResourceType => ({
  group,
  version,
  kind,
  plural,
  namespaced,
});

export const NAMESPACE = core('Namespace', 'namespaces', false);
export const NODE = core('Node', 'nodes', false);
export const POD = core('Pod', 'pods');
export const SERVICE = core('Service', 'services');
export const CONFIG_MAP = core('ConfigMap', 'configmaps');
export const SECRET = core('Secret', 'secrets');
export const SERVICE_ACCOUNT = core('ServiceAccount', 'serviceaccounts');
export const EVENT = core('Event', 'events');
export const PERSISTENT_VOLUME = core('PersistentVolume', 'persistentvolumes', false);
export const PERSISTENT_VOLUME_CLAIM = core('PersistentVolumeClaim', 'persistentvolumeclaims');
export const RESOURCE_QUOTA = core('ResourceQuota', 'resourcequotas');
export const LIMIT_RANGE = core('LimitRange', 'limitranges');
export const DEPLOYMENT = named('apps', 'v1', 'Deployment', 'deployments');
export const REPLICA_SET = named('apps', 'v1', 'ReplicaSet', 'replicasets');
export const CONTROLLER_REVISION = named('apps', 'v1', 'ControllerRevision', 'controllerrevisions');
export const JOB = named('batch', 'v1', 'Job', 'jobs');
export const CRON_JOB = named('batch', 'v1', 'CronJob', 'cronjobs');
export const INGRESS = named('networking.k8s.io', 'v1', 'Ingress', 'ingresses');
export const INGRESS_CLASS = named('networking.k8s.io', 'v1', 'IngressClass', 'ingressclasses', false);
export const NETWORK_POLICY = named('networking.k8s.io', 'v1', 'NetworkPolicy', 'networkpolicies');
export const ENDPOINT_SLICE = named('discovery.k8s.io', 'v1', 'EndpointSlice', 'endpointslices');
export const STORAGE_CLASS = named('storage.k8s.io', 'v1', 'StorageClass', 'storageclasses', false);
export const LEASE = named('coordination.k8s.io', 'v1', 'Lease', 'leases');
export const ROLE = named('rbac.authorization.k8s.io', 'v1', 'Role', 'roles');
export const ROLE_BINDING = named('rbac.authorization.k8s.io', 'v1', 'RoleBinding', 'rolebindings');
export const CLUSTER_ROLE = named('rbac.authorization.k8s.io', 'v1', 'ClusterRole', 'clusterroles', false);
export const CLUSTER_ROLE_BINDING = named(
  'rbac.authorization.k8s.io',
  'v1',
  'ClusterRoleBinding',
  'clusterrolebindings',
  false,
);
export const POD_METRICS = named('metrics.k8s.io', 'v1beta1', 'PodMetrics', 'pods');
export const NODE_METRICS = named('metrics.k8s.io', 'v1beta1', 'NodeMetrics', 'nodes', false);
export const CUSTOM_RESOURCE_DEFINITION = named(
  'apiextensions.k8s.io',
  'v1',
  'CustomResourceDefinition',
  'customresourcedefinitions',
  false,
);
