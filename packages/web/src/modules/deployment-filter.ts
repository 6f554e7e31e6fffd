import type { Deployment } from '@berth/core/deployment';
import { STATE_FILTERS, type StateFilter, stateFilterOf } from './deployment-state.ts';

/** Every word typed must be somewhere in name, address or template. `state` is one of `STATE_FILTERS` or empty for all. */
export function filterDeployments(deployments: readonly Deployment[], query: string, state: string): Deployment[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return deployments.filter((each) => {
    if (isStateFilter(state) && stateFilterOf(each) !== state) return false;
    const text = [each.name, each.displayName, each.host, each.template?.name].join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

export function countByState(deployments: readonly Deployment[]): Record<StateFilter, number> {
  const counts = Object.fromEntries(STATE_FILTERS.map((each) => [each, 0])) as Record<StateFilter, number>;
  for (const each of deployments) counts[stateFilterOf(each)] += 1;
  return counts;
}

function isStateFilter(text: string): text is StateFilter {
  return (STATE_FILTERS as readonly string[]).includes(text);
}
