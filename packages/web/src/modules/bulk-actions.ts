import type { Deployment } from '@berth/core/deployment';
import { DEPLOYMENT_ACTIONS, mayDelete, possibleActions, servicesDown } from './deployment-actions.ts';

/** What can be done with several deployments at once, with what is said before. */
export const BULK_ACTIONS = ['restart', 'stop', 'start', 'pause', 'resume', 'delete'] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];

const LABELS: Record<BulkAction, string> = {
  restart: 'Restart',
  stop: 'Stop',
  start: 'Start',
  pause: 'Pause updates',
  resume: 'Resume updates',
  delete: 'Delete',
};

export function bulkLabel(action: BulkAction): string {
  return LABELS[action];
}

export function fits(action: BulkAction, deployment: Deployment): boolean {
  if (action === 'delete') return mayDelete(deployment);
  return possibleActions(deployment).some((each) => each.id === action);
}

/** What comes of it, for all of them together. */
export function bulkConsequence(action: BulkAction): string {
  if (action === 'delete') {
    return 'Their services, volumes, secrets, addresses and history go with them. This cannot be undone.';
  }
  return DEPLOYMENT_ACTIONS[action].consequence;
}

/** What this one loses, or has down for a while, in a few words; empty when nothing. */
export function whatIsLost(action: BulkAction, deployment: Deployment): string {
  const { services, secrets, addresses } = deployment;
  if (action === 'restart') {
    const down = servicesDown(deployment);
    return down.length > 0 ? `${down.join(', ')} down for some seconds` : '';
  }
  if (action === 'stop') return addresses.map((each) => each.host).join(', ');
  if (action !== 'delete') return '';
  const volumes = services.flatMap((each) => each.volumes).length;
  return [
    counted(services.length, 'service'),
    volumes > 0 && counted(volumes, 'volume'),
    secrets.length > 0 && counted(secrets.length, 'secret'),
    addresses.length > 0 && counted(addresses.length, 'address', 'addresses'),
  ]
    .filter(Boolean)
    .join(', ');
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
