import type { Kind } from '../kind.ts';
import { accessReviews } from './access-review.ts';
import { configMap, secret, serviceAccount } from './configuration.ts';
import { controllerRevision } from './controller-revision.ts';
import { cronJob } from './cron-job.ts';
import { customResourceDefinition } from './custom-resource-definition.ts';
import { event } from './event.ts';
import { identityReviews } from './identity-review.ts';
import { job } from './job.ts';
import { namespace } from './namespace.ts';
import { endpointSlice, ingress, ingressClass, networkPolicy } from './networking.ts';
import { node } from './node.ts';
import { pod } from './pod.ts';
import { lease, limitRange, resourceQuota } from './policy.ts';
import { clusterRole, clusterRoleBinding, role, roleBinding } from './rbac.ts';
import { service } from './service.ts';
import { persistentVolume, persistentVolumeClaim, storageClass } from './storage.ts';
import { deployment, replicaSet } from './workload.ts';

/** Every kind that is served without a CustomResourceDefinition. */
export const builtInKinds: Kind[] = [
  ...[namespace, node, pod, service, configMap, secret, serviceAccount, event],
  ...[persistentVolume, persistentVolumeClaim, resourceQuota, limitRange],
  ...[deployment, replicaSet, controllerRevision],
  ...[job, cronJob],
  ...[ingress, ingressClass, networkPolicy],
  endpointSlice,
  storageClass,
  lease,
  ...[role, roleBinding, clusterRole, clusterRoleBinding],
  customResourceDefinition,
  ...accessReviews,
  ...identityReviews,
];
