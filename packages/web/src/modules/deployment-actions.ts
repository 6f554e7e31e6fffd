import type { RouteName } from '@berth/core/api';
import type { Deployment } from '@berth/core/deployment';

/** What can be done with a deployment at once: one record drives button, menu, palette and bulk bar. */
export type ActionId = 'stop' | 'start' | 'restart' | 'pause' | 'resume';
export interface DeploymentAction {
  id: ActionId;
  label: string;
  /** While it happens. */
  doing: string;
  /** Once the answer is there; the deployment's name follows. */
  done: string;
  /** What comes of it and what stays, for a confirmation. */
  consequence: string;
  route: Extract<
    RouteName,
    'stopDeployment' | 'startDeployment' | 'restartDeployment' | 'pauseDeployment' | 'resumeDeployment'
  >;
  undo?: ActionId;
}

export const DEPLOYMENT_ACTIONS: Record<ActionId, DeploymentAction> = {
  restart: {
    id: 'restart',
    label: 'Restart',
    doing: 'Restarting',
    done: 'Restarting',
    consequence: 'Every pod is replaced by a new one of the same version. Values, volumes and secrets stay.',
    route: 'restartDeployment',
  },
  pause: {
    id: 'pause',
    label: 'Pause updates',
    doing: 'Pausing',
    done: 'Paused updates of',
    consequence: 'What runs keeps running as it is. Changes wait until updates are resumed.',
    route: 'pauseDeployment',
    undo: 'resume',
  },
  resume: {
    id: 'resume',
    label: 'Resume updates',
    doing: 'Resuming',
    done: 'Resumed updates of',
    consequence: 'Changes that waited are rolled out.',
    route: 'resumeDeployment',
    undo: 'pause',
  },
  stop: {
    id: 'stop',
    label: 'Stop',
    doing: 'Stopping',
    done: 'Stopping',
    consequence: 'No pods run and the addresses answer nothing until it is started. Volumes, secrets and history stay.',
    route: 'stopDeployment',
    undo: 'start',
  },
  start: {
    id: 'start',
    label: 'Start',
    doing: 'Starting',
    done: 'Starting',
    consequence: 'The services start with the values, volumes and secrets that they had.',
    route: 'startDeployment',
    undo: 'stop',
  },
};

/** What this person may do with this deployment now. */
export function possibleActions(deployment: Deployment): DeploymentAction[] {
  if (!mayChange(deployment)) return [];
  const { desired, paused } = deployment;
  const ids: ActionId[] = desired === 'stopped' ? ['start'] : ['restart', paused ? 'resume' : 'pause', 'stop'];
  return ids.map((id) => DEPLOYMENT_ACTIONS[id]);
}

export function mayChange(deployment: Deployment): boolean {
  return (
    deployment.permissions.includes('deployment:update') &&
    deployment.desired !== 'deleted' &&
    deployment.phase !== 'Deleting'
  );
}

export function mayDelete(deployment: Deployment): boolean {
  return deployment.permissions.includes('deployment:delete') && deployment.desired !== 'deleted';
}

/** A service with a volume runs as one pod: it is down between the old one and the new. */
export function isReplaced(service: Deployment['services'][number]): boolean {
  return service.volumes.length > 0;
}

/** Of these services, those that a replacement of their pods takes down for some seconds. */
export function servicesDown(deployment: Deployment, among?: readonly string[]): string[] {
  if (deployment.desired === 'stopped') return [];
  return deployment.services
    .filter((each) => isReplaced(each) && each.ready > 0 && (among?.includes(each.name) ?? true))
    .map((each) => each.name);
}
