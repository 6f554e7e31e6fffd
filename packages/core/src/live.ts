import type { Activity, Deployment } from './deployment.ts';

/**
 * The event stream of one team, `GET /api/events?team=ID`, as Server-Sent Events.
 *
 * It opens with `snapshot`: everything, and the position (the SSE id) it is true at. Then each change in order. A client
 * that comes back with `Last-Event-ID` gets `resumed` and only what it missed, or a new `snapshot` when that is too long ago. So
 * applying events in order gives the state without gap or duplicate. `end` says why the server closes the stream.
 * Every 15 s a comment line keeps proxies from cutting it.
 */
export type LiveEvent =
  | { type: 'snapshot'; deployments: Deployment[]; activity: Activity[] }
  | { type: 'resumed' }
  | { type: 'deployment'; deployment: Deployment }
  | { type: 'removed'; id: string }
  | { type: 'activity'; activity: Activity }
  | { type: 'end'; reason: 'signed_out' | 'access_removed' | 'shutting_down' };
export type LiveEventType = LiveEvent['type'];

export interface LiveState {
  deployments: Deployment[];
  /** Newest first, at most `ACTIVITY_KEPT`. */
  activity: Activity[];
}

const ACTIVITY_KEPT = 100;

/** Pure reducer: the same event twice changes nothing, an older state never replaces a newer one. */
export function applyLiveEvent(state: LiveState, event: LiveEvent): LiveState {
  switch (event.type) {
    case 'snapshot':
      return { deployments: event.deployments, activity: event.activity };
    case 'deployment': {
      const at = state.deployments.findIndex((each) => each.id === event.deployment.id);
      // A name never changes, so a known deployment stays where it is: no sorting for each of thousands of changes.
      if (at !== -1) return { ...state, deployments: state.deployments.with(at, event.deployment) };
      const deployments = [...state.deployments, event.deployment].sort((a, b) => a.name.localeCompare(b.name));
      return { ...state, deployments };
    }
    case 'removed':
      return { ...state, deployments: state.deployments.filter((each) => each.id !== event.id) };
    case 'activity': {
      if (state.activity.some((each) => each.id === event.activity.id)) return state;
      return { ...state, activity: [event.activity, ...state.activity].slice(0, ACTIVITY_KEPT) };
    }
    case 'resumed':
    case 'end':
      return state;
  }
}
