import type { TopicEvent } from '@berth/core/stream-topic';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openLiveLink } from './live-link.ts';
import { type Port, serveTab, type ToHub, type ToTab } from './live-port.ts';
import type { HubTab, TopicHub } from './topic-hub.ts';

/** Two ends of a line, which carry copies as a real one does. */
function aLine() {
  const tab: Port<ToHub, ToTab> = {
    onmessage: null,
    close: () => undefined,
    postMessage: (data) => hub.onmessage?.({ data: structuredClone(data) }),
  };
  const hub: Port<ToTab, ToHub> = {
    onmessage: null,
    close: () => undefined,
    postMessage: (data) => tab.onmessage?.({ data: structuredClone(data) }),
  };
  return { tab, hub };
}

function aHub() {
  const tabs = new Map<HubTab, Map<number, string>>();
  const hub: TopicHub = {
    join(tab) {
      const topics = new Map<number, string>();
      tabs.set(tab, topics);
      return {
        subscribe: (id, topic) => void topics.set(id, topic),
        unsubscribe: (id) => void topics.delete(id),
        leave: () => void tabs.delete(tab),
      };
    },
  };
  const send = (topic: string, event: TopicEvent) => {
    for (const [tab, topics] of tabs) for (const [id, each] of topics) if (each === topic) tab.onEvents(id, [event]);
  };
  return { hub, send, topics: () => [...tabs.values()].map((each) => [...each.values()]) };
}

const EVENT: TopicEvent = { type: 'removed', id: 'a' };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a tab and the hub', () => {
  it('speak of topics, until either is let go of', () => {
    const { hub, send, topics } = aHub();
    const line = aLine();
    serveTab(hub, line.hub);
    const link = openLiveLink('u', () => line.tab);
    const told: TopicEvent[] = [];
    const stop = link.follow('/a', { onEvents: (events) => void told.push(...events), onRefused: () => undefined });
    link.follow('/b', { onEvents: () => undefined, onRefused: () => undefined });
    send('/a', EVENT);
    expect(told).toEqual([EVENT]);
    stop();
    expect(topics()).toEqual([['/b']]);
    link.close();
    expect(topics()).toEqual([]);
  });

  it('part when the tab has vanished, and begin anew should it come back', async () => {
    const { hub, topics } = aHub();
    const line = aLine();
    serveTab(hub, line.hub);
    const link = openLiveLink('u', () => line.tab);
    let restarts = 0;
    link.follow('/a', {
      onEvents: () => undefined,
      onRefused: () => undefined,
      onRestart: () => {
        restarts += 1;
      },
    });
    await vi.advanceTimersByTimeAsync(600_000);
    expect(topics()).toEqual([['/a']]);
    // A frozen tab: its timers stand still, and the hub's do not.
    const { onmessage } = line.hub;
    line.hub.onmessage = null;
    await vi.advanceTimersByTimeAsync(160_000);
    expect(topics()).toEqual([]);
    line.hub.onmessage = onmessage;
    await vi.advanceTimersByTimeAsync(15_000);
    expect(topics()).toEqual([['/a']]);
    expect(restarts).toBe(1);
    link.close();
  });
});
