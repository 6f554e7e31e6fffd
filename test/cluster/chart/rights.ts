/** What neither may, as `kubectl auth can-i` asks for it in all namespaces. */
type Forbidden = readonly [who: 'server' | 'operator', what: string];

const BOTH = [
  'create pods',
  'patch pods',
  'create roles.rbac.authorization.k8s.io',
  'create rolebindings.rbac.authorization.k8s.io',
  'create clusterrolebindings.rbac.authorization.k8s.io',
  'bind clusterroles.rbac.authorization.k8s.io',
  'escalate clusterroles.rbac.authorization.k8s.io',
  'impersonate users',
  'impersonate serviceaccounts',
  'create serviceaccounts',
  'create serviceaccounts --subresource=token',
  'delete namespaces',
  'get nodes',
  'patch customresourcedefinitions.apiextensions.k8s.io',
  'create validatingwebhookconfigurations.admissionregistration.k8s.io',
];

const SERVER = [
  'get secrets',
  'list secrets',
  'watch secrets',
  'get secrets/berth-delivery',
  'create secrets',
  'patch secrets/berth-keys',
  'update secrets',
  'delete secrets',
  'create deployments.apps',
  'create jobs.batch',
  'create configmaps',
];

const OPERATOR = [
  'create pods --subresource=exec',
  'get pods --subresource=exec',
  'create pods --subresource=portforward',
  'create namespaces',
  'patch namespaces',
  'create userdeployments.berth.dev',
  'delete userdeployments.berth.dev',
  'create daemonsets.apps',
];

export const FORBIDDEN: Forbidden[] = [
  ...BOTH.flatMap((what): Forbidden[] => [
    ['server', what],
    ['operator', what],
  ]),
  ...SERVER.map((what): Forbidden => ['server', what]),
  ...OPERATOR.map((what): Forbidden => ['operator', what]),
];
