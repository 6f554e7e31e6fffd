import type { Body, ConformanceCase } from '../conformance-case.ts';
import { get } from '../requests.ts';

/** What Berth, kubectl and the tests look up. */
const USED: Readonly<Record<string, readonly string[]>> = {
  '/api/v1': [
    'configmaps',
    'events',
    'limitranges',
    'namespaces',
    'namespaces/status',
    'nodes',
    'persistentvolumeclaims',
    'persistentvolumes',
    'pods',
    'pods/exec',
    'pods/log',
    'pods/portforward',
    'pods/status',
    'resourcequotas',
    'secrets',
    'serviceaccounts',
    'serviceaccounts/token',
    'services',
  ],
  '/apis/apps/v1': ['controllerrevisions', 'deployments', 'deployments/scale', 'deployments/status', 'replicasets'],
  '/apis/batch/v1': ['cronjobs', 'cronjobs/status', 'jobs', 'jobs/status'],
  '/apis/networking.k8s.io/v1': ['ingressclasses', 'ingresses', 'ingresses/status', 'networkpolicies'],
  '/apis/discovery.k8s.io/v1': ['endpointslices'],
  '/apis/coordination.k8s.io/v1': ['leases'],
  '/apis/storage.k8s.io/v1': ['storageclasses'],
  '/apis/rbac.authorization.k8s.io/v1': ['clusterrolebindings', 'clusterroles', 'rolebindings', 'roles'],
  '/apis/authorization.k8s.io/v1': ['selfsubjectaccessreviews', 'subjectaccessreviews'],
  '/apis/authentication.k8s.io/v1': ['tokenreviews', 'selfsubjectreviews'],
  '/apis/apiextensions.k8s.io/v1': ['customresourcedefinitions', 'customresourcedefinitions/status'],
};

export const discovery: ConformanceCase[] = [
  ...Object.entries(USED).map(([path, names]) => ({
    name: `the resources of ${path}`,
    run: async ({ ask }: Parameters<ConformanceCase['run']>[0]) => {
      await ask('list', get(path), (body) => ({
        ...body,
        resources: body.resources
          .filter(({ name }: { name: string }) => names.includes(name))
          .map(({ storageVersionHash: _hash, ...resource }: Body) => resource)
          .sort(byName),
      }));
    },
  })),
  {
    name: 'the groups that are used',
    async run({ ask }) {
      const groups = Object.keys(USED).flatMap((path) => path.split('/')[2] ?? []);
      await ask('list', get('/apis'), (body) =>
        body.groups
          .filter(({ name }: { name: string }) => groups.includes(name))
          .map(used)
          .sort(byName),
      );
      await ask('the core', get('/api'), ({ kind, versions }) => ({ kind, versions }));
    },
  },
  {
    name: 'version and health',
    async run({ ask }) {
      await ask('version', get('/version'), ({ major, minor }) => ({ major, minor }));
      for (const path of ['/livez', '/readyz', '/healthz']) await ask(path, get(path));
    },
  },
  {
    name: 'what is not there',
    async run({ ask, namespace }) {
      await ask('a path', get('/nowhere'));
      await ask('a group', get('/apis/nobody.example.dev/v1'));
      await ask('a resource', get(`/api/v1/namespaces/${namespace}/gadgets`));
      await ask('a version', get(`/apis/apps/v2/namespaces/${namespace}/deployments`));
    },
  },
  {
    name: 'the schemas that kubectl explain reads',
    async run({ ask }) {
      await ask('of the core', get('/openapi/v3/api/v1'), ({ openapi }) => ({
        openapi: String(openapi).split('.')[0],
      }));
    },
  },
];

function used({ name, preferredVersion }: Body) {
  return { name, preferredVersion };
}

function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : 1;
}
