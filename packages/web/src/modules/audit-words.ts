import { ROUTES, type RouteName } from '@berth/core/api';
import type { AuditRecord } from '@berth/core/audit';
import { PERMISSIONS } from '@berth/core/permissions';
import type { Route } from '@berth/core/route';

/** What was done or tried, in words: what the route is for, else what the platform does by itself, else what the permission allows. */
export function auditWords(record: Pick<AuditRecord, 'action' | 'method' | 'route'>): string {
  const routes = Object.entries(ROUTES) as [RouteName, Route][];
  const found = routes.find(([, { method, path }]) => method === record.method && path === record.route);
  const permission = Object.entries(PERMISSIONS).find(([name]) => name === record.action)?.[1];
  // The part after a colon or semicolon explains; the record needs only the deed.
  const words = found
    ? (DEEDS[found[0]] ?? found[1].summary.split(/[:;]/)[0])
    : (OF_THE_PLATFORM[record.action] ?? permission);
  const said = words ?? record.action;
  return said.charAt(0).toUpperCase() + said.slice(1);
}

/** Routes whose summary names a thing and no deed. */
const DEEDS: Partial<Record<RouteName, string>> = {
  updateDeployment: 'change a deployment',
  restartDeployment: 'restart',
  deleteDeployment: 'delete a deployment',
  rollBackDeployment: 'roll back',
  scaleService: 'scale a service',
  pauseDeployment: 'pause updates',
  resumeDeployment: 'resume updates',
  cloneDeployment: 'clone a deployment',
  openShell: 'open a shell or run a command',
  forwardPort: 'connect to a port of a service',
  streamLogs: 'read logs',
  downloadLogs: 'read logs as a file',
};

/** Without a route of the API: nobody asked for it here, the cluster showed it or wanted it. */
const OF_THE_PLATFORM: Record<string, string> = {
  'deployment:create': 'find a deployment made in the cluster',
  'deployment:update': 'find a change made in the cluster',
  'deployment:delete': 'see a deployment gone from the cluster',
  'secret:read': 'deliver a secret to its namespace',
};
