import { APPLY, type PolicyRule, READ, type Rights, rule } from '../kubernetes/policy-rule.ts';
import { CHILD_TYPES } from './caches.ts';

/**
 * The rights that the operator needs, each with its reason: what the chart grants, and what a test runs it with. It has no right to
 * make a pod, to go into one, to write a namespace, or to touch a role, a binding or a service account. That it makes Deployments
 * and Jobs is its purpose: what these may be is held by the Pod Security level of each namespace, and by the chart's admission policy to
 * the namespaces of teams and to pods that carry no right.
 */
const MANAGE = [...READ, ...APPLY, 'delete'];

const CHILD_REASONS: Readonly<Record<string, string>> = {
  NetworkPolicy: 'opens what a deployment declares, and nothing else',
  PersistentVolumeClaim: 'the volumes of services',
  ConfigMap: 'files of services that are no secrets',
  ExternalSecret: 'asks for the secrets of a service; the values are not in it',
  Service: 'the addresses inside the cluster',
  Job: 'work before a start',
  CronJob: 'work at set times',
  Deployment: 'what runs a service: there is no other way to run one and to update it without a gap',
  Ingress: 'public addresses, of hosts that the server granted',
};

const delivery = (each: PolicyRule): PolicyRule => ({ ...each, onlyBuiltInDelivery: true });

const NAMESPACE_REASON = 'which team a namespace is of: its label goes on every child';

export const OPERATOR_RIGHTS: Rights = {
  teams: [
    rule(['berth.dev', 'userdeployments'], [...READ, 'patch'], 'what is wanted; and its own finalizer there'),
    rule(['berth.dev', 'userdeployments/status'], ['patch'], 'says what it observed'),
    rule(['berth.dev', 'userdeployments/finalizers'], ['update'], 'may name a resource as the owner of its children'),
    ...CHILD_TYPES.map(({ group, plural, kind }) => rule([group, plural], MANAGE, CHILD_REASONS[kind] ?? 'a child')),
    rule(['apps', 'controllerrevisions'], MANAGE, 'keeps the last good version of each deployment'),
    rule(['', 'pods'], READ, 'how a service does, and that it has ended before its volume goes'),
    rule(['', 'pods/log'], ['get'], 'the last lines of a pod whose update failed'),
    rule(['', 'events'], READ, 'why a pod does not run'),
    rule(['', 'events'], APPLY, 'tells what happened to a deployment'),
    rule(
      ['', 'secrets'],
      [...READ, 'delete'],
      'that the newest value was delivered before a pod starts (it keeps a hash), takes values out of log lines, cleans up',
    ),
    delivery(rule(['', 'secrets'], APPLY, 'makes the Secret of each ExternalSecret')),
    delivery(rule(['', 'configmaps'], ['get'], 'whom to trust at a store, where a ConfigMap says it')),
    delivery(rule(['external-secrets.io', 'secretstores'], READ, 'where a value is to be asked for')),
    delivery(rule(['external-secrets.io', 'externalsecrets/status'], ['patch'], 'says what was delivered')),
    delivery(
      rule(['external-secrets.io', 'externalsecrets/finalizers'], ['update'], 'may name it as the owner of its Secret'),
    ),
  ],
  cluster: [rule(['', 'namespaces'], READ, NAMESPACE_REASON)],
  confined: [{ ...rule(['', 'namespaces'], READ, NAMESPACE_REASON), namedAsTeams: true }],
  own: [
    rule(['coordination.k8s.io', 'leases'], ['get', 'create', 'update'], 'one of several replicas works at a time'),
  ],
};

/** Where nobody else installs the definitions. The chart does. */
export const DEFINITION_RIGHTS: readonly PolicyRule[] = [
  rule(['apiextensions.k8s.io', 'customresourcedefinitions'], ['get', ...APPLY], 'installs the definitions'),
];
