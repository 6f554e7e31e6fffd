import type { Deployment } from '@berth/core/deployment';
import type { Permission } from '@berth/core/permissions';
import { quantity } from '@berth/core/quantity';
import type { Service } from '@berth/core/service';
import type { ServiceStatus } from '@berth/core/user-deployment';
import { addressesOf } from './addresses.ts';
import type { DeploymentView } from './deployment-row.ts';
import { requestsOf } from './draft.ts';

/** A failure to apply is worth a word to people once it has lasted for so many attempts. */
export const ATTEMPTS_UNTIL_SHOWN = 3;

export interface PresentContext {
  /** What the actor may do in the team. */
  permissions: ReadonlySet<Permission>;
  /** The address of a public host. */
  urlOf(host: string): string;
}

/** The row as the API and the event stream tell it: the same object in both. */
export function presentDeployment(row: DeploymentView, context: PresentContext): Deployment {
  const { spec } = row;
  const stored = new Set(row.secretKeys);
  const message = messageOf(row);
  return {
    id: row.id,
    name: row.name,
    ...(row.displayName !== undefined && { displayName: row.displayName }),
    teamId: row.teamId,
    ...(spec.template && { template: spec.template }),
    phase: row.phase,
    ...(message !== undefined && { message }),
    desired: row.desired,
    revision: row.revision,
    ...(row.host !== undefined && { host: row.host, url: context.urlOf(row.host) }),
    paused: row.paused,
    ...(row.observed?.update && { update: row.observed.update }),
    addresses: addressesOf(row).map(({ host, service }) => ({ host, url: context.urlOf(host), service })),
    aliases: row.aliases,
    values: row.parameterValues,
    secrets: (spec.secretKeys ?? []).map((key) => ({ key, set: stored.has(key) })),
    services: spec.services.map((service) => ({
      image: service.image,
      ...statusOf(row, service.name),
      volumes: (service.volumes ?? []).map(({ name, size }) => ({ name, size })),
      ports: service.ports ?? [],
      limits: limitsOf(service),
      requests: requestsOf(service),
    })),
    jobs: (spec.jobs ?? []).map(({ name, schedule }) => ({
      ...(row.observed?.jobs?.find((each) => each.name === name) ?? { name, state: 'Waiting' as const }),
      ...(schedule !== undefined && { schedule }),
    })),
    conditions: row.observed?.conditions ?? [],
    createdBy: row.createdBy,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    permissions: [...context.permissions].filter((each) => each.startsWith('deployment:')).sort(),
  };
}

function limitsOf({ resources }: Service): { cpu?: number; memory?: number } {
  const { cpu, memory } = resources?.limits ?? {};
  return {
    ...(cpu !== undefined && { cpu: quantity(cpu) }),
    ...(memory !== undefined && { memory: quantity(memory) }),
  };
}

function messageOf(row: DeploymentView): string | undefined {
  if (row.applyError !== undefined && (row.applyAttempts ?? 0) >= ATTEMPTS_UNTIL_SHOWN) return row.applyError;
  return row.message;
}

/** A service that the operator has not reported yet waits for it. */
function statusOf(row: DeploymentView, name: string): ServiceStatus {
  const seen = row.observed?.services?.find((each) => each.name === name);
  if (seen) return seen;
  const service = row.spec.services.find((each) => each.name === name);
  const desired = row.desired === 'running' ? (service?.replicas ?? 1) : 0;
  return { name, state: 'Waiting', desired, ready: 0, restarts: 0 };
}
