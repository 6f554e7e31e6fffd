import type { RouteName } from '@berth/core/api';
import type { Deployment } from '@berth/core/deployment';

/** What can be done with a deployment at once: one record drives button, menu, palette and bulk bar. */
export type ActionId = 'stop' | 'start' | 'restart';
export interface DeploymentAction {
  id: ActionId;
  label: string;
  /** While it happens. */
  doing: string;
  route: Extract<RouteName, 'stopDeployment' | 'startDeployment' | 'restartDeployment'>;
  undo?: ActionId;
}

export const DEPLOYMENT_ACTIONS: Record<ActionId, DeploymentAction> = {
  stop: { id: 'stop', label: 'Stop', doing: 'Stopping', route: 'stopDeployment', undo: 'start' },
  start: { id: 'start', label: 'Start', doing: 'Starting', route: 'startDeployment', undo: 'stop' },
  restart: { id: 'restart', label: 'Restart', doing: 'Restarting', route: 'restartDeployment' },
};

/** What this person may do with this deployment now. */
export function possibleActions(deployment: Deployment): DeploymentAction[] {
  const allowed = deployment.permissions.includes('deployment:update');
  if (!allowed || deployment.desired === 'deleted' || deployment.phase === 'Deleting') return [];
  const ids: ActionId[] = deployment.desired === 'stopped' ? ['start'] : ['restart', 'stop'];
  return ids.map((id) => DEPLOYMENT_ACTIONS[id]);
}

export function mayDelete(deployment: Deployment): boolean {
  return deployment.permissions.includes('deployment:delete') && deployment.desired !== 'deleted';
}
