import type { TopicEvent } from '@berth/core/stream-topic';
import { createTopicLines, type LiveStatus, type TopicLinesOptions, type TopicProblem } from './topic-lines.ts';
import { memoryOf, type TopicMemory } from './topic-memory.ts';

/**
 * What all tabs of a browser show, over one connection. Equal topics of several tabs are one; who joins late is told what the others know.
 * A topic that nobody wants any more lingers a while: people go back and forth. Runs in the shared worker, or where there is none in
 * the tab itself.
 */
export interface TopicHub {
  /** Of one person at a time: when another one comes, whatever is of the one before is forgotten. */
  join(tab: HubTab, userId: string): HubMember;
}

export interface HubTab {
  /** To a subscription, in order. */
  onEvents(id: number, events: TopicEvent[]): void;
  /** This subscription cannot be had: it is over. */
  onRefused(id: number, problem: TopicProblem): void;
  onStatus(status: LiveStatus): void;
  /** The login has ended; every subscription is over. */
  onSignedOut(): void;
}

export interface HubMember {
  subscribe(id: number, topic: string): void;
  unsubscribe(id: number): void;
  leave(): void;
}

interface Topic {
  memory: TopicMemory;
  subscriptions: Set<Subscription>;
  /** Set while nobody wants it. */
  unwanted?: ReturnType<typeof setTimeout> | undefined;
}

interface Subscription {
  tab: HubTab;
  id: number;
  name: string;
}

const LINGER_MILLISECONDS = 20_000;

export function createTopicHub(options: Pick<TopicLinesOptions, 'fetch' | 'random' | 'wait' | 'now'> = {}): TopicHub {
  const tabs = new Set<HubTab>();
  const topics = new Map<string, Topic>();
  let status: LiveStatus | undefined;
  let user: string | undefined;

  const lines = createTopicLines({
    ...options,
    onEvents(name, events) {
      const topic = topics.get(name);
      if (!topic) return;
      for (const event of events) topic.memory.take(event);
      for (const { tab, id } of topic.subscriptions) tab.onEvents(id, events);
      if (events.at(-1)?.type === 'end') forget(name);
    },
    onRefused(name, problem) {
      const subscriptions = topics.get(name)?.subscriptions ?? [];
      forget(name);
      for (const { tab, id } of subscriptions) tab.onRefused(id, problem);
    },
    onStatus(next) {
      status = next;
      for (const tab of tabs) tab.onStatus(next);
    },
    onSignedOut: signOut,
  });

  function forget(name: string): void {
    clearTimeout(topics.get(name)?.unwanted);
    topics.delete(name);
  }

  function signOut(): void {
    for (const name of [...topics.keys()]) {
      forget(name);
      lines.remove(name);
    }
    for (const tab of [...tabs]) tab.onSignedOut();
  }

  function subscribe(subscription: Subscription): void {
    const { tab, id, name } = subscription;
    lines.wake();
    const known = topics.get(name);
    if (!known) {
      topics.set(name, { memory: memoryOf(name), subscriptions: new Set([subscription]) });
      lines.add(name);
      return;
    }
    clearTimeout(known.unwanted);
    known.subscriptions.add(subscription);
    const replay = known.memory.replay();
    if (replay.length > 0) tab.onEvents(id, replay);
  }

  function unsubscribe(subscription: Subscription): void {
    const { name } = subscription;
    const topic = topics.get(name);
    if (!topic?.subscriptions.delete(subscription) || topic.subscriptions.size > 0) return;
    topic.unwanted = setTimeout(() => {
      forget(name);
      lines.remove(name);
    }, LINGER_MILLISECONDS);
  }

  return {
    join(tab, userId) {
      if (user !== undefined && user !== userId) signOut();
      user = userId;
      tabs.add(tab);
      if (status) tab.onStatus(status);
      const mine = new Map<number, Subscription>();
      const leaveTopic = (id: number) => {
        const subscription = mine.get(id);
        mine.delete(id);
        if (subscription) unsubscribe(subscription);
      };
      return {
        subscribe(id, name) {
          const subscription = { tab, id, name };
          mine.set(id, subscription);
          subscribe(subscription);
        },
        unsubscribe: leaveTopic,
        leave() {
          tabs.delete(tab);
          for (const id of [...mine.keys()]) leaveTopic(id);
        },
      };
    },
  };
}
