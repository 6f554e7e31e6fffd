import type { Activity } from '@berth/core/deployment';

/** A message without what stands beside it anyway: the deployment's own name, the CamelCase reason of a cluster's event. */
export function activityWords(activity: Pick<Activity, 'kind' | 'message' | 'deployment'>): string {
  const { kind, deployment } = activity;
  const message = kind === 'event' ? activity.message.replace(/^[A-Z][A-Za-z]+: (?=\S)/, '') : activity.message;
  return deployment !== undefined && message.startsWith(`${deployment} `)
    ? message.slice(deployment.length + 1)
    : message;
}

/** What a team wants to hear of: not each container that a cluster starts. */
export function isNews(activity: Pick<Activity, 'kind' | 'level'>): boolean {
  return activity.kind !== 'event' || activity.level === 'warning' || activity.level === 'failure';
}
