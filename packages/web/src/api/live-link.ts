import type { TopicEvent } from '@berth/core/stream-topic';
import { ALIVE_EVERY_MILLISECONDS, type Port, serveTab, type ToHub, type ToTab } from './live-port.ts';
import { createTopicHub } from './topic-hub.ts';
import type { LiveStatus, TopicProblem } from './topic-lines.ts';

/**
 * The tab's end: subscribes to topics at the hub in the shared worker, or, where a browser has none or it does not start, at one of its
 * own. Everything is subscribed again when the other end knows nothing of this tab.
 */
export interface LiveLink {
  /** Follows a topic until the returned function is called. Events come in the order they were sent, the past first. */
  follow(topic: string, listener: TopicListener): () => void;
  onStatus(listener: (status: LiveStatus) => void): () => void;
  onSignedOut(listener: () => void): () => void;
  close(): void;
}

export interface TopicListener {
  onEvents: (events: TopicEvent[]) => void;
  /** It cannot be had, now and later. */
  onRefused: (problem: TopicProblem) => void;
  /** What came before is void: it comes again, from the beginning. */
  onRestart?: () => void;
}

type HubPort = Port<ToHub, ToTab>;

export function openLiveLink(userId: string, connect: (onBroken: () => void) => HubPort = connectHub): LiveLink {
  const listeners = new Map<number, { topic: string; listener: TopicListener }>();
  const statusListeners = new Set<(status: LiveStatus) => void>();
  const signedOutListeners = new Set<() => void>();
  let nextId = 1;
  let status: LiveStatus | undefined;
  let port = connect(fallBack);
  let closed = false;
  let ownHubUsed = false;

  function introduce(): void {
    port.onmessage = take;
    port.postMessage({ kind: 'hello', userId });
    for (const [id, { topic }] of listeners) port.postMessage({ kind: 'subscribe', id, topic });
  }

  function restart(): void {
    for (const { listener } of listeners.values()) listener.onRestart?.();
    introduce();
  }

  /** The worker did not start: the same in this tab. */
  function fallBack(): void {
    if (closed || ownHubUsed) return;
    ownHubUsed = true;
    port.close();
    port = ownHub();
    restart();
  }

  function take({ data }: { data: ToTab }): void {
    if (closed) return;
    switch (data.kind) {
      case 'who':
        restart();
        break;
      case 'status':
        status = data.status;
        for (const listener of statusListeners) listener(status);
        break;
      case 'signed-out':
        for (const listener of [...signedOutListeners]) listener();
        break;
      case 'events':
        listeners.get(data.id)?.listener.onEvents(data.events);
        break;
      case 'refused':
        listeners.get(data.id)?.listener.onRefused(data.problem);
    }
  }

  const alive = setInterval(() => port.postMessage({ kind: 'alive' }), ALIVE_EVERY_MILLISECONDS);
  const leave = () => port.postMessage({ kind: 'leave' });
  // Back from the browser's cache of pages: what was said before counts no more.
  const back = (event: PageTransitionEvent) => {
    if (event.persisted) take({ data: { kind: 'who' } });
  };
  globalThis.addEventListener?.('pagehide', leave);
  globalThis.addEventListener?.('pageshow', back);
  introduce();

  return {
    follow(topic, listener) {
      const id = nextId++;
      listeners.set(id, { topic, listener });
      port.postMessage({ kind: 'subscribe', id, topic });
      return () => {
        listeners.delete(id);
        port.postMessage({ kind: 'unsubscribe', id });
      };
    },
    onStatus(listener) {
      statusListeners.add(listener);
      if (status) listener(status);
      return () => statusListeners.delete(listener);
    },
    onSignedOut(listener) {
      signedOutListeners.add(listener);
      return () => signedOutListeners.delete(listener);
    },
    close() {
      closed = true;
      clearInterval(alive);
      globalThis.removeEventListener?.('pagehide', leave);
      globalThis.removeEventListener?.('pageshow', back);
      leave();
      port.close();
    },
  };
}

function connectHub(onBroken: () => void): HubPort {
  if (typeof SharedWorker === 'undefined') return ownHub();
  try {
    const worker = new SharedWorker(new URL('./live-worker.ts', import.meta.url), {
      type: 'module',
      name: 'berth-live',
    });
    worker.onerror = onBroken;
    return worker.port as unknown as HubPort;
  } catch {
    // Some browsers refuse workers to pages of private windows.
    return ownHub();
  }
}

function ownHub(): HubPort {
  const { port1, port2 } = new MessageChannel();
  serveTab(createTopicHub(), port1 as unknown as Port<ToTab, ToHub>);
  return port2 as unknown as HubPort;
}
