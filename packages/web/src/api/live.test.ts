import { applyLiveEvent, type LiveEvent, type LiveState } from '@berth/core/live';
import { describe, expect, it } from 'vitest';
import { aDeployment, TEAM_ID } from '../testing/fixtures.ts';
import type { EventStreamOptions } from './event-stream.ts';
import { type Channel, followTeam, type TabMessage } from './live.ts';

/** Two tabs of one browser: one lock, one channel, and a server that remembers who is connected. */
function aBrowser() {
  const channels = new Set<Channel>();
  const openChannel = (): Channel => {
    const channel: Channel = {
      onmessage: null,
      postMessage: (data: TabMessage) => {
        for (const other of channels) if (other !== channel) other.onmessage?.({ data: structuredClone(data) });
      },
      close: () => channels.delete(channel),
    };
    channels.add(channel);
    return channel;
  };
  let held = false;
  const waiting: (() => void)[] = [];
  const request = async (_name: string, _options: unknown, hold: () => Promise<void>) => {
    if (held) await new Promise<void>((resolve) => waiting.push(resolve));
    held = true;
    await hold();
    held = false;
    waiting.shift()?.();
  };
  const streams: EventStreamOptions[] = [];
  const openStreams = new Set<EventStreamOptions>();
  const follow = (options: EventStreamOptions) => {
    streams.push(options);
    openStreams.add(options);
    return () => openStreams.delete(options);
  };
  const send = (id: string, event: LiveEvent) => {
    for (const each of openStreams) each.onMessage({ id, event: event.type, data: JSON.stringify(event) });
  };
  const openTab = () => {
    let state: LiveState = { deployments: [], activity: [] };
    const stop = followTeam({
      userId: 'u',
      teamId: TEAM_ID,
      locks: { request } as unknown as LockManager,
      openChannel,
      follow: follow as never,
      onEvent: (event) => {
        state = applyLiveEvent(state, event);
      },
      onStatus: () => undefined,
      onRefused: () => undefined,
    });
    return { stop, names: () => state.deployments.map((each) => each.name) };
  };
  return { openTab, send, streams, openStreams };
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
const made = (name: string): LiveEvent => ({ type: 'deployment', deployment: aDeployment({ name }) });

describe('followTeam', () => {
  it('opens one stream for two tabs, and both see the same', async () => {
    const { openTab, send, openStreams } = aBrowser();
    const first = openTab();
    send('1', { type: 'snapshot', deployments: [aDeployment({ name: 'a' })], activity: [] });
    const second = openTab();
    await settled();
    send('2', made('b'));
    expect(openStreams.size).toBe(1);
    expect(first.names()).toEqual(['a', 'b']);
    expect(second.names()).toEqual(['a', 'b']);
  });

  it('goes on in the other tab from the last id when the leading tab is closed', async () => {
    const { openTab, send, streams, openStreams } = aBrowser();
    const first = openTab();
    const second = openTab();
    send('1', { type: 'snapshot', deployments: [aDeployment({ name: 'a' })], activity: [] });
    send('2', made('b'));
    first.stop();
    await settled();
    expect(openStreams.size).toBe(1);
    expect(streams.at(-1)?.lastEventId).toBe('2');
    send('3', made('c'));
    expect(second.names()).toEqual(['a', 'b', 'c']);
  });
});
