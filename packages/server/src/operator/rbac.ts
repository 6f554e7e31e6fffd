import { CHILD_TYPES } from './caches.ts';

/**
 * The rights that the operator needs, each with its reason: what the chart grants. It has no right to delete a namespace, to
 * exec, or to write a pod.
 */
export interface PolicyRule {
  apiGroups: string[];
  resources: string[];
  verbs: string[];
  reason: string;
}

const READ = ['get', 'list', 'watch'];
/** Server-side apply is a patch, and a create where nothing is yet. */
const MANAGE = [...READ, 'create', 'patch', 'delete'];

export interface RightsOptions {
  delivery: 'built-in' | 'external-secrets';
  installDefinitions: boolean;
}

/** In every namespace. */
export function clusterRules({ delivery, installDefinitions }: RightsOptions): PolicyRule[] {
  const rule = (group: string, resources: string[], verbs: string[], reason: string): PolicyRule => ({
    apiGroups: [group],
    resources,
    verbs,
    reason,
  });
  const children = CHILD_TYPES.map(({ group, plural }) =>
    rule(group, [plural], MANAGE, 'children: made, repaired and removed'),
  );
  const builtIn = [
    rule('', ['configmaps'], ['get'], "the store's authority, when a ConfigMap holds it"),
    rule('', ['secrets'], ['create', 'patch'], 'delivery: makes the Secret of each ExternalSecret'),
    rule('external-secrets.io', ['externalsecrets/status'], ['patch'], 'delivery: says what was synced'),
    // OwnerReferencesPermissionEnforcement asks for it of whoever sets blockOwnerDeletion.
    rule('external-secrets.io', ['externalsecrets/finalizers'], ['update'], 'delivery: owns the Secrets it makes'),
    rule('external-secrets.io', ['secretstores'], READ, 'delivery: where to read a value'),
  ];
  return [
    rule('', ['events'], [...READ, 'create', 'patch'], 'why a pod does not run; what happened to a deployment'),
    rule('', ['namespaces'], READ, 'the team that a namespace is of'),
    rule('', ['pods'], READ, 'what a service does, and that it has ended before its volume goes'),
    rule('', ['pods/log'], ['get'], 'the last lines of a pod whose update failed'),
    rule('', ['secrets'], [...READ, 'delete'], 'that a value is delivered; clean-up; the credential of the store'),
    rule('berth.dev', ['userdeployments'], [...READ, 'patch'], 'what is wanted; the finalizer'),
    rule('berth.dev', ['userdeployments/finalizers'], ['update'], 'owns its children'),
    rule('berth.dev', ['userdeployments/status'], ['patch'], 'what is observed'),
    rule('apps', ['controllerrevisions'], MANAGE, 'the last good version of each deployment'),
    ...children,
    ...(delivery === 'built-in' ? builtIn : []),
    ...(installDefinitions
      ? [
          rule(
            'apiextensions.k8s.io',
            ['customresourcedefinitions'],
            ['get', 'create', 'patch'],
            'installs the definitions',
          ),
        ]
      : []),
  ];
}

/** In the operator's own namespace. */
export const LEADER_RULES: readonly PolicyRule[] = [
  {
    apiGroups: ['coordination.k8s.io'],
    resources: ['leases'],
    verbs: ['get', 'create', 'update'],
    reason: 'one of several replicas leads',
  },
];
