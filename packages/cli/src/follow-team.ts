import { applyLiveEvent, type LiveEvent, type LiveState } from '@berth/core/live';
import type { ApiClient } from './api-client.ts';
import type { CliContext } from './context.ts';
import { followEventStream } from './event-stream.ts';

/** The state of a team after each change, from its event stream. Ends when the right to it does. */
export async function* followTeam(context: CliContext, client: ApiClient, team: string): AsyncGenerator<LiveState> {
  let state: LiveState = { deployments: [], activity: [] };
  const input = { query: { team }, signal: context.signal };
  for await (const data of followEventStream(context, client, { name: 'streamEvents', input, ended: isEnd })) {
    state = applyLiveEvent(state, JSON.parse(data) as LiveEvent);
    yield state;
  }
}

function isEnd(data: string): boolean {
  const event = JSON.parse(data) as LiveEvent;
  return event.type === 'end' && event.reason !== 'shutting_down';
}
