import type { ConformanceCase } from '../conformance-case.ts';
import { as, get, merge, pathsIn, post, remove } from '../requests.ts';
import { configMap } from './objects.ts';

const role = (rules: object[]) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'Role',
  metadata: { name: 'some' },
  rules,
});
const binding = (user: string, name = 'some') => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  metadata: { name },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'some' },
  subjects: [{ kind: 'User', name: user, apiGroup: 'rbac.authorization.k8s.io' }],
});
const maps = { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'create'] };

export const access: ConformanceCase[] = [
  {
    name: 'what is not allowed is refused in words',
    async run({ ask, namespace }) {
      const user = `${namespace}-nobody`;
      const { core, apps } = pathsIn(namespace);
      await ask('read', as(user, get(`${core('configmaps')}/a`)));
      await ask('list', as(user, get(apps('deployments'))));
      await ask('list everywhere', as(user, get('/api/v1/secrets')));
      await ask('create', as(user, post(core('configmaps'), configMap('a'))));
      await ask('patch', as(user, merge(`${core('configmaps')}/a`, {})));
      await ask('delete', as(user, remove(`${core('configmaps')}/a`)));
      await ask('a subresource', as(user, get(`${core('pods')}/p/log`)));
      await ask('a cluster resource', as(user, get('/api/v1/nodes')));
      await ask('a path', as(user, get('/metrics')));
    },
  },
  {
    name: 'a role allows what it says',
    async run({ ask, send, until, namespace }) {
      const user = `${namespace}-one`;
      const { core, rbac } = pathsIn(namespace);
      await send(post(rbac('roles'), role([maps])));
      await send(post(rbac('rolebindings'), binding(user)));
      await until('allowed', as(user, get(core('configmaps'))), {
        holds: ({ kind }) => kind === 'ConfigMapList',
        show: ({ kind }) => kind,
      });
      await ask('made', as(user, post(core('configmaps'), configMap('a'))), ({ metadata }) => metadata.name);
      await ask('not said', as(user, remove(`${core('configmaps')}/a`)));
      await ask('elsewhere', as(user, get('/api/v1/namespaces/default/configmaps')));
    },
  },
  {
    name: 'may I?',
    async run({ ask, send, until, namespace }) {
      const user = `${namespace}-one`;
      const review = (attributes: object) =>
        as(
          user,
          post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
            apiVersion: 'authorization.k8s.io/v1',
            kind: 'SelfSubjectAccessReview',
            spec: { resourceAttributes: { namespace, ...attributes } },
          }),
        );
      await ask('before', review({ verb: 'get', resource: 'configmaps' }), ({ status }) => status.allowed);
      await send(post(pathsIn(namespace).rbac('roles'), role([maps])));
      await send(post(pathsIn(namespace).rbac('rolebindings'), binding(user)));
      await until('yes', review({ verb: 'get', resource: 'configmaps' }), {
        holds: ({ status }) => status.allowed,
        show: ({ status }) => status,
      });
      await ask('no', review({ verb: 'delete', resource: 'configmaps' }), ({ status }) => status);
      await ask('a subresource', review({ verb: 'get', resource: 'pods', subresource: 'log' }), ({ status }) => status);
      await ask(
        'of nothing',
        as(
          user,
          post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
            apiVersion: 'authorization.k8s.io/v1',
            kind: 'SelfSubjectAccessReview',
            spec: {},
          }),
        ),
      );
      await ask(
        'who am I',
        as(
          user,
          post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {
            apiVersion: 'authentication.k8s.io/v1',
            kind: 'SelfSubjectReview',
          }),
        ),
        ({ status }) => status,
      );
    },
  },
  {
    name: 'nobody gives what he has not',
    async run({ ask, send, until, namespace }) {
      const user = `${namespace}-one`;
      const { rbac } = pathsIn(namespace);
      const roles = {
        apiGroups: ['rbac.authorization.k8s.io'],
        resources: ['roles', 'rolebindings'],
        verbs: ['create', 'list'],
      };
      await send(post(rbac('roles'), role([maps, roles])));
      await send(post(rbac('rolebindings'), binding(user)));
      await until('may make roles', as(user, get(rbac('roles'))), {
        holds: ({ kind }) => kind === 'RoleList',
        show: ({ kind }) => kind,
      });
      const secrets = { apiGroups: [''], resources: ['secrets'], verbs: ['get'] };
      await ask(
        'what he has',
        as(user, post(`${rbac('roles')}?dryRun=All`, { ...role([maps]), metadata: { name: 'same' } })),
        ({ metadata }) => metadata.name,
      );
      await ask(
        'what he has not',
        as(user, post(`${rbac('roles')}?dryRun=All`, { ...role([secrets]), metadata: { name: 'more' } })),
      );
    },
  },
  {
    name: 'a token of a service account',
    async run({ ask, send, namespace }) {
      const accounts = pathsIn(namespace).core('serviceaccounts');
      await send(post(accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } }));
      const request = {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { expirationSeconds: 3600 },
      };
      const { body } = await ask('given', post(`${accounts}/robot/token`, request), ({ kind, status }) => ({
        kind,
        token: typeof status.token,
      }));
      await ask('for too short', post(`${accounts}/robot/token`, { ...request, spec: { expirationSeconds: 10 } }));
      await ask(
        'is known',
        post('/apis/authentication.k8s.io/v1/tokenreviews', {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenReview',
          spec: { token: body.status.token },
        }),
        ({ status }) => ({
          authenticated: status.authenticated,
          username: status.user.username,
          groups: status.user.groups,
        }),
      );
      await ask(
        'nonsense is not',
        post('/apis/authentication.k8s.io/v1/tokenreviews', {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenReview',
          spec: { token: 'nonsense' },
        }),
        ({ status }) => status.authenticated ?? false,
      );
    },
  },
];
