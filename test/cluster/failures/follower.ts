import { setTimeout as delay } from 'node:timers/promises';
import { eventStreamParser } from '@berth/core/event-stream';
import { applyLiveEvent, type LiveEvent, type LiveState } from '@berth/core/live';

/** Somebody who has a team's event stream open, and whenever it ends goes on where it ended, as a browser does. */
export interface Follower {
  readonly state: LiveState;
  /** Activities in the order in which they were told, after those of the first snapshot. */
  readonly told: number[];
  /** The newest activity that the first snapshot knew. */
  readonly beganAfter: number;
  readonly connections: number;
  /** What was not as `core/live.ts` promises. */
  readonly problems: string[];
  stop(): Promise<void>;
}

export interface FollowerOptions {
  url: string;
  headers: Readonly<Record<string, string>>;
  team: string;
}

export function startFollower({ url, headers, team }: FollowerOptions): Follower {
  const ending = new AbortController();
  const problems: string[] = [];
  const told: number[] = [];
  let state: LiveState = { deployments: [], activity: [] };
  let beganAfter = -1;
  let position: number | undefined;
  let connections = 0;

  const take = (event: LiveEvent, id: string | undefined): void => {
    const at = Number(id);
    if (event.type === 'snapshot' && position === undefined)
      beganAfter = Math.max(0, ...event.activity.map((activity) => activity.id));
    else if (event.type === 'snapshot') problems.push(`a new snapshot at ${at}, after ${position}`);
    else if (event.type !== 'end' && position !== undefined && at < position)
      problems.push(`${event.type} at ${at}, after ${position}`);
    if (event.type === 'activity') told.push(event.activity.id);
    if (event.type !== 'end' && Number.isFinite(at)) position = at;
    state = applyLiveEvent(state, event);
  };

  async function follow(): Promise<void> {
    const response = await fetch(`${url}/api/events?team=${team}`, {
      headers: {
        ...headers,
        accept: 'text/event-stream',
        ...(position !== undefined && { 'last-event-id': String(position) }),
      },
      signal: ending.signal,
    });
    if (!response.ok || !response.body) return void (await response.arrayBuffer());
    connections += 1;
    const parse = eventStreamParser();
    const decoder = new TextDecoder();
    for await (const chunk of response.body)
      for (const { event, data, id } of parse(decoder.decode(chunk, { stream: true })))
        take({ ...JSON.parse(data), type: event } as LiveEvent, id);
  }

  const done = (async () => {
    while (!ending.signal.aborted) {
      // Cut, or refused for now: it goes on where it ended.
      await follow().catch(() => undefined);
      await delay(300);
    }
  })();
  return {
    get state() {
      return state;
    },
    get connections() {
      return connections;
    },
    get beganAfter() {
      return beganAfter;
    },
    told,
    problems,
    async stop() {
      ending.abort();
      await done;
    },
  };
}
