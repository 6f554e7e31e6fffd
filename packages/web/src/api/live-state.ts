import type { Deployment } from '@berth/core/deployment';
import type { LiveState } from '@berth/core/live';

/**
 * The answer to a change is news as well, but it travels beside the event stream: what the stream said meanwhile may be
 * newer, and then the answer changes nothing.
 */
export function mergeAnswer(state: LiveState, answer: Deployment): LiveState {
  const at = state.deployments.findIndex((each) => each.id === answer.id);
  const current = state.deployments[at];
  if (!current) {
    return { ...state, deployments: [...state.deployments, answer].sort((a, b) => a.name.localeCompare(b.name)) };
  }
  return isOlder(answer, current) ? state : { ...state, deployments: state.deployments.with(at, answer) };
}

function isOlder(answer: Deployment, current: Deployment): boolean {
  if (answer.revision !== current.revision) return answer.revision < current.revision;
  return Date.parse(answer.updatedAt) < Date.parse(current.updatedAt);
}
