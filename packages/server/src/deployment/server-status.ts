import { isDeepStrictEqual } from 'node:util';
import { type Condition, findCondition, type NewCondition, setCondition } from '@berth/core/conditions';
import { API_VERSION, CONDITIONS, SERVER_MANAGER } from '@berth/core/user-deployment';
import type { KubeClient } from '@berth/kube/client/client';
import { USER_DEPLOYMENT } from '../kubernetes/resource-types.ts';
import type { UserDeployment } from '../kubernetes/user-deployment.ts';
import type { HostGrant } from './spec-hosts.ts';

/** The part of a resource's status that only the database can answer: whether it has a slot, and which hosts are its own. */
export interface ServerStatus {
  admitted: Omit<NewCondition, 'type'>;
  hosts: Omit<NewCondition, 'type'>;
  grantedHosts: string[];
}

export function admittedStatus(grant: HostGrant): ServerStatus {
  return {
    admitted: { status: 'True', reason: 'Admitted', message: "It has a slot of the organization's plan." },
    hosts: hostsCondition(grant),
    grantedHosts: grant.granted,
  };
}

/** Hosts are claimed only for what is admitted. */
export function refusedStatus(reason: string, message: string): ServerStatus {
  const hosts = {
    status: 'False',
    reason: 'NotAdmitted',
    message: 'Addresses are claimed once it is admitted.',
  } as const;
  return { admitted: { status: 'False', reason, message }, hosts, grantedHosts: [] };
}

function hostsCondition({ granted, refused }: HostGrant): Omit<NewCondition, 'type'> {
  const [first] = refused;
  if (first)
    return { status: 'False', reason: first.reason, message: refused.map(({ message }) => message).join('; ') };
  if (granted.length === 0) return { status: 'True', reason: 'NoHosts', message: 'It asks for no public address.' };
  return { status: 'True', reason: 'Claimed', message: `It answers at ${granted.join(', ')}.` };
}

/** Writes the server's part of the status when it differs from what is there. The operator's part is not touched. */
export async function writeServerStatus(
  client: Pick<KubeClient, 'apply'>,
  resource: UserDeployment,
  { status, now }: { status: ServerStatus; now: Date },
): Promise<boolean> {
  const { name, namespace, generation } = resource.metadata;
  const present = resource.status?.conditions ?? [];
  const wanted = [
    { type: CONDITIONS.admitted, ...status.admitted, observedGeneration: generation },
    { type: CONDITIONS.hostsClaimed, ...status.hosts, observedGeneration: generation },
  ].map((condition) => nextCondition(present, condition, now));
  const same =
    wanted.every((each) => isDeepStrictEqual(findCondition(present, each.type), each)) &&
    isDeepStrictEqual([...(resource.status?.grantedHosts ?? [])].sort(), [...status.grantedHosts].sort());
  if (same) return false;
  const patch = {
    apiVersion: API_VERSION,
    kind: 'UserDeployment',
    metadata: { name, ...(namespace !== undefined && { namespace }) },
    status: { grantedHosts: status.grantedHosts, conditions: wanted },
  };
  await client.apply(USER_DEPLOYMENT, patch, { fieldManager: SERVER_MANAGER, force: true, subresource: 'status' });
  return true;
}

function nextCondition(present: readonly Condition[], next: NewCondition, now: Date): Condition {
  const set = findCondition(setCondition(present, next, now), next.type);
  if (!set) throw new Error(`the condition ${next.type} is lost`);
  return JSON.parse(JSON.stringify(set)) as Condition;
}
