import * as resources from '../../../schema/resources.ts';
import type { Kind } from '../kind.ts';
import { defineKind } from './define.ts';

const core = (kind: string) => `io.k8s.api.core.v1.${kind}`;

/** Every kind that is served without a CustomResourceDefinition. */
export function builtInKinds(): Kind[] {
  return [
    defineKind(resources.NAMESPACE, { schema: core('Namespace'), status: true, shortNames: ['ns'] }),
    defineKind(resources.NODE, { schema: core('Node'), status: true, shortNames: ['no'] }),
    defineKind(resources.POD, { schema: core('Pod'), status: true, shortNames: ['po'], categories: ['all'] }),
    defineKind(resources.SERVICE, { schema: core('Service'), status: true, shortNames: ['svc'], categories: ['all'] }),
    defineKind(resources.CONFIG_MAP, { schema: core('ConfigMap'), shortNames: ['cm'] }),
    defineKind(resources.SECRET, { schema: core('Secret') }),
    defineKind(resources.SERVICE_ACCOUNT, { schema: core('ServiceAccount'), shortNames: ['sa'] }),
    defineKind(resources.EVENT, { schema: core('Event'), shortNames: ['ev'] }),
    defineKind(resources.PERSISTENT_VOLUME, { schema: core('PersistentVolume'), status: true, shortNames: ['pv'] }),
    defineKind(resources.PERSISTENT_VOLUME_CLAIM, {
      schema: core('PersistentVolumeClaim'),
      status: true,
      shortNames: ['pvc'],
    }),
    defineKind(resources.RESOURCE_QUOTA, { schema: core('ResourceQuota'), status: true, shortNames: ['quota'] }),
    defineKind(resources.LIMIT_RANGE, { schema: core('LimitRange'), shortNames: ['limits'] }),
    defineKind(resources.DEPLOYMENT, {
      schema: 'io.k8s.api.apps.v1.Deployment',
      status: true,
      generation: true,
      shortNames: ['deploy'],
      categories: ['all'],
    }),
    defineKind(resources.REPLICA_SET, {
      schema: 'io.k8s.api.apps.v1.ReplicaSet',
      status: true,
      generation: true,
      shortNames: ['rs'],
      categories: ['all'],
    }),
    defineKind(resources.INGRESS, {
      schema: 'io.k8s.api.networking.v1.Ingress',
      status: true,
      generation: true,
      shortNames: ['ing'],
    }),
    defineKind(resources.INGRESS_CLASS, { schema: 'io.k8s.api.networking.v1.IngressClass', generation: true }),
    defineKind(resources.NETWORK_POLICY, {
      schema: 'io.k8s.api.networking.v1.NetworkPolicy',
      generation: true,
      shortNames: ['netpol'],
    }),
    defineKind(resources.ENDPOINT_SLICE, { schema: 'io.k8s.api.discovery.v1.EndpointSlice', generation: true }),
    defineKind(resources.STORAGE_CLASS, { schema: 'io.k8s.api.storage.v1.StorageClass', shortNames: ['sc'] }),
    defineKind(resources.LEASE, { schema: 'io.k8s.api.coordination.v1.Lease' }),
    defineKind(resources.ROLE, { schema: 'io.k8s.api.rbac.v1.Role' }),
    defineKind(resources.ROLE_BINDING, { schema: 'io.k8s.api.rbac.v1.RoleBinding' }),
    defineKind(resources.CLUSTER_ROLE, { schema: 'io.k8s.api.rbac.v1.ClusterRole' }),
    defineKind(resources.CLUSTER_ROLE_BINDING, { schema: 'io.k8s.api.rbac.v1.ClusterRoleBinding' }),
    defineKind(resources.CUSTOM_RESOURCE_DEFINITION, {
      schema: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition',
      status: true,
      generation: true,
      shortNames: ['crd', 'crds'],
      categories: ['api-extensions'],
    }),
  ];
}
