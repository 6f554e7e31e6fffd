import type { KubeClient } from '@berth/kube/client/client';
import { listIn } from '@berth/kube/client/list-in';
import type { KubeObject } from '@berth/kube/schema/object';
import { LEASE } from '@berth/kube/schema/resources';
import { isKubeError } from '@berth/kube/schema/status';
import type { Clock } from '../clock.ts';
import { hasDefinitions } from '../kubernetes/definitions.ts';
import { USER_DEPLOYMENT } from '../kubernetes/resource-types.ts';
import type { UserDeployment } from '../kubernetes/user-deployment.ts';
import { type Check, type Finding, failure, ok, warning } from './check.ts';
import { clockSkew } from './clock-skew.ts';

export interface ClusterCheckDeps {
  client: Pick<KubeClient, 'get' | 'list' | 'raw' | 'server'>;
  clock: Clock;
  /** The only namespaces that may be looked into; all when absent. */
  confinedTo?: readonly string[] | undefined;
  /** Where operators agree on one that works; absent where there is only one. */
  leaseNamespace?: string | undefined;
}

interface Lease extends KubeObject {
  spec?: { holderIdentity?: string; leaseDurationSeconds?: number; renewTime?: string };
}

const OPERATOR_LEASE = 'berth-operator';
const UNSEEN_TOO_LONG_MS = 60_000;
const MOST_LISTED = 500;
/** The Date of an answer has whole seconds. */
const DATE_TOLERANCE_MS = 1_000;
const OPERATOR_FIX = 'See that the operator runs, and read its log; it takes up what it missed by itself.';

export function clusterChecks(deps: ClusterCheckDeps): Check[] {
  const { client, clock } = deps;
  const fix = 'See that the cluster runs and that KUBECONFIG names it with a user who may work there.';
  return [
    { name: 'cluster', fix, run: () => reachable(deps) },
    {
      name: 'cluster clock',
      fix,
      run: () =>
        clockSkew(clock, { of: 'the cluster', read: () => clusterTime(client), toleranceMs: DATE_TOLERANCE_MS }),
    },
    { name: 'operator', fix, run: () => operator(deps) },
  ];
}

async function reachable({ client }: ClusterCheckDeps): Promise<Finding> {
  const answer = await client.raw('GET', '/version');
  const text = await answer.text();
  if (answer.status >= 400) {
    return failure(
      `The cluster answers ${answer.status} to this server's user.`,
      'Give it a KUBECONFIG whose user may work there.',
    );
  }
  const version = /"gitVersion":\s*"([^"]{1,64})"/.exec(text)?.[1] ?? 'of an unknown version';
  if (await hasDefinitions(client)) return ok(`Kubernetes ${version} answers and knows the kinds of Berth.`);
  return failure(
    `Kubernetes ${version} answers and does not know the kinds of Berth.`,
    'The server installs them by itself; when this stays, its user lacks the right to make CustomResourceDefinitions.',
  );
}

async function clusterTime(client: ClusterCheckDeps['client']): Promise<Date | undefined> {
  const answer = await client.raw('GET', '/version');
  await answer.text();
  const time = Date.parse(answer.headers.date ?? '');
  return Number.isNaN(time) ? undefined : new Date(time);
}

/** It leads by its Lease, where there is one, and it has seen every change that is older than a minute. */
async function operator({ client, clock, confinedTo, leaseNamespace }: ClusterCheckDeps): Promise<Finding> {
  const now = clock().getTime();
  const lease = leaseNamespace === undefined ? undefined : await findLease(client, leaseNamespace);
  const renewed = Date.parse(lease?.spec?.renewTime ?? '');
  if (lease && !lease.spec?.holderIdentity) return failure('No operator is at work.', OPERATOR_FIX);
  if (lease && now - renewed > UNSEEN_TOO_LONG_MS) {
    return failure(`The operator last renewed its lease ${seconds(now - renewed)} s ago.`, OPERATOR_FIX);
  }
  const items = await listIn<UserDeployment>(client, USER_DEPLOYMENT, { limit: MOST_LISTED, namespaces: confinedTo });
  const unseen = items
    .filter((each) => isUnseen(each, now))
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  const [first] = unseen;
  if (first === undefined) {
    const who = lease?.spec?.holderIdentity === undefined ? '' : ` ${lease.spec.holderIdentity}`;
    return ok(items.length === 0 ? 'Nothing waits for the operator.' : `The operator${who} has seen every change.`);
  }
  const message = `The operator has not seen the newest change of ${unseen.length} deployments, such as ${first}.`;
  return unseen.length === items.length ? failure(message, OPERATOR_FIX) : warning(message, OPERATOR_FIX);
}

function isUnseen({ metadata, status }: UserDeployment, now: number): boolean {
  if (status?.observedGeneration === metadata.generation) return false;
  const times = (metadata.managedFields ?? [])
    .filter(({ subresource }) => subresource === undefined)
    .map(({ time }) => Date.parse(time ?? ''));
  const changed = Math.max(
    Date.parse(metadata.creationTimestamp ?? ''),
    ...times.filter((time) => !Number.isNaN(time)),
  );
  return now - changed > UNSEEN_TOO_LONG_MS;
}

async function findLease(client: ClusterCheckDeps['client'], namespace: string): Promise<Lease | undefined> {
  try {
    return await client.get<Lease>(LEASE, { name: OPERATOR_LEASE, namespace });
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return undefined;
    throw error;
  }
}

function seconds(milliseconds: number): number {
  return Math.round(milliseconds / 1000);
}
