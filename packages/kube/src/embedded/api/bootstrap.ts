import type { KubeObject } from '../../schema/object.ts';
import { CLUSTER_ROLE, CLUSTER_ROLE_BINDING, NAMESPACE } from '../../schema/resources.ts';
import { isKubeError } from '../../schema/status.ts';
import { MASTERS } from './auth/authorize.ts';
import { bootstrapPolicy } from './auth/policy.ts';
import { createObject } from './rules/create.ts';
import type { RuleRequest, Rules } from './rules/rules.ts';

const SYSTEM_NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];
const SYSTEM = { name: 'system:apiserver', groups: [MASTERS] };

/** What every cluster has from the beginning. Whatever is there already stays as it is. */
export async function bootstrap(rules: Rules): Promise<void> {
  for (const name of SYSTEM_NAMESPACES) {
    await ensure(rules, NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
  for (const object of bootstrapPolicy())
    await ensure(rules, object.kind === 'ClusterRole' ? CLUSTER_ROLE : CLUSTER_ROLE_BINDING, object);
}

async function ensure(
  rules: Rules,
  type: { group: string; version: string; plural: string },
  object: KubeObject,
): Promise<void> {
  const kind = rules.registry.find(type.group, type.version, type.plural)!;
  const request: RuleRequest = {
    kind,
    namespace: object.metadata.namespace ?? '',
    user: SYSTEM,
    warn: () => undefined,
  };
  try {
    await createObject(rules, request, object, {
      dryRun: false,
      fieldManager: 'kube-apiserver',
      fieldValidation: 'Strict',
    });
  } catch (error) {
    if (!isKubeError(error, 'AlreadyExists')) throw error;
  }
}
