import { DELIVERY_SECRET_NAME } from '@berth/core/user-deployment';
import { APPLY, type PolicyRule, READ, type Rights, rule } from './kubernetes/policy-rule.ts';

/**
 * The rights that the server needs, each with its reason: what the chart grants, and what a test runs it with. It reads no Secret, and
 * writes one single name. It makes no workload, no role and no binding. It goes into pods for people who may, and says so in its audit.
 */
const named = (each: PolicyRule, names: readonly string[]): PolicyRule => ({ ...each, resourceNames: names });

const definitions = named(
  rule(['apiextensions.k8s.io', 'customresourcedefinitions'], ['get'], 'whether the definitions are there'),
  ['userdeployments.berth.dev', 'externalsecrets.external-secrets.io', 'secretstores.external-secrets.io'],
);

/** What a plan and the isolation of a team are in a namespace. A confined server writes them too: they are its purpose. */
const PLAN: readonly PolicyRule[] = [
  rule(['', 'resourcequotas'], APPLY, "the team's plan"),
  rule(['', 'limitranges'], APPLY, 'what a container gets that asks for nothing'),
  rule(['networking.k8s.io', 'networkpolicies'], APPLY, 'nothing goes in or out but what is declared'),
];

export const SERVER_RIGHTS: Rights = {
  teams: [
    rule(
      ['berth.dev', 'userdeployments'],
      [...READ, ...APPLY, 'update', 'delete'],
      'brings what people want, sees what became of it',
    ),
    rule(
      ['berth.dev', 'userdeployments/status'],
      ['patch'],
      "grants what only the database can: a plan's slot, a host",
    ),
    ...PLAN,
    rule(['external-secrets.io', 'secretstores'], APPLY, 'where the secrets of a namespace are asked for'),
    named(
      rule(
        ['', 'secrets'],
        APPLY,
        'the credential with which a namespace asks for its own secrets; no right to read one',
      ),
      [DELIVERY_SECRET_NAME],
    ),
    rule(['', 'pods'], ['list'], 'whose log, whose shell'),
    rule(['', 'pods/log'], ['get'], 'logs for people who may read them'),
    // A WebSocket begins as a GET; from 1.35 on a cluster asks for create as well.
    rule(['', 'pods/exec'], ['get', 'create'], 'shells for people who may open one; each is audited'),
    rule(['', 'pods/portforward'], ['get', 'create'], 'forwarded ports for people who may; each is audited'),
    rule(['', 'events'], ['list', 'watch'], 'the story of a deployment'),
    rule(['metrics.k8s.io', 'pods'], ['list'], 'what services use'),
  ],
  cluster: [rule(['', 'namespaces'], APPLY, 'makes the namespace of a team, with its Pod Security level'), definitions],
  confined: [
    {
      ...rule(['', 'namespaces'], ['get'], 'whether the namespace of a team is there, and what it lacks'),
      namedAsTeams: true,
    },
    definitions,
  ],
  own: [rule(['coordination.k8s.io', 'leases'], ['get'], 'tells in `berth doctor` which operator works')],
};

/** Of the Job that makes keys: it can add a Secret, and can neither read nor change one. */
export const KEYS_RIGHTS: readonly PolicyRule[] = [
  rule(
    ['', 'secrets'],
    ['create'],
    'makes the Secrets that are missing; one that is there is refused by its name and stays',
  ),
];
