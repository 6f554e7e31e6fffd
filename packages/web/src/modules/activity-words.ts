import type { Activity } from '@berth/core/deployment';

/** A message without what stands beside it anyway: the deployment's own name, the CamelCase reason of a cluster's event. */
export function activityWords({
  kind,
  message,
  deployment,
}: Pick<Activity, 'kind' | 'message' | 'deployment'>): string {
  if (kind === 'event') return message.replace(/^[A-Z][A-Za-z]+: (?=\S)/, '');
  if (deployment === undefined || !message.startsWith(deployment)) return message;
  const rest = message.slice(deployment.length);
  return /^:? \S/.test(rest) ? rest.replace(/^:? /, '') : message;
}

/** What a team wants to hear of: not each container that a cluster starts. */
export function isNews(activity: Pick<Activity, 'kind' | 'level'>): boolean {
  return activity.kind !== 'event' || activity.level === 'warning' || activity.level === 'failure';
}

/** One trouble is told by several parts at once: an entry that says no more than the one above it is left out. */
export function withoutEchoes<A extends Pick<Activity, 'kind' | 'message' | 'deployment' | 'service'>>(
  activity: readonly A[],
): A[] {
  return activity.filter((each, index) => {
    const above = activity[index - 1];
    if (!above || above.deployment !== each.deployment || above.service !== each.service) return true;
    return each.kind !== 'event' || !above.message.includes(activityWords(each));
  });
}
