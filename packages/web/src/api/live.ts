import type { StreamMessage } from '@berth/core/event-stream';
import { applyLiveEvent, type LiveEvent, type LiveState } from '@berth/core/live';
import { urlOf } from './client.ts';
import { followEvents } from './event-stream.ts';

/**
 * One event stream per team for all tabs of a browser.
 *
 * Whoever holds the Web Lock of a team leads: it alone is connected and passes on every event with its id over a
 * BroadcastChannel, in order. Everybody applies the same events to their own copy of the state, so when the leader goes the
 * next tab connects with the last id it has seen and nothing is missed or doubled. A new tab says `hello` and gets the
 * leader's whole state, which counts as a snapshot. A leader that falls silent loses the lock to a follower that needs it.
 * Without locks or channels each tab connects on its own.
 */
export interface LiveStatus {
  state: 'connecting' | 'connected' | 'disconnected';
  /** When this state began. */
  since: number;
  /** When anything was last heard from the server. */
  lastDataAt: number | undefined;
}

export interface LiveOptions {
  /** Tabs of different people never share. */
  userId: string;
  teamId: string;
  onEvent: (event: LiveEvent) => void;
  onStatus: (status: LiveStatus) => void;
  onRefused: (error: Error) => void;
  now?: () => number;
  locks?: LockManager;
  openChannel?: (name: string) => Channel;
  follow?: typeof followEvents;
}

/** What is used of a BroadcastChannel. */
export interface Channel {
  postMessage: (message: TabMessage) => void;
  onmessage: ((event: { data: TabMessage }) => void) | null;
  close: () => void;
}

export type TabMessage =
  | { kind: 'hello' }
  | { kind: 'state'; state: LiveState; id: string | undefined; status: LiveStatus }
  | { kind: 'event'; event: LiveEvent; id: string | undefined }
  | { kind: 'status'; status: LiveStatus };

const TELL_STATUS_EVERY_MILLISECONDS = 5_000;
const LEADER_SILENT_MILLISECONDS = 90_000;

/** Follows a team until the returned function is called. */
export function followTeam(options: LiveOptions): () => void {
  const { userId, teamId, now = Date.now, locks = globalThis.navigator?.locks, follow = followEvents } = options;
  const openChannel = options.openChannel ?? defaultChannel;
  const name = `berth.live.${userId}.${teamId}`;
  const stopped = new AbortController();
  const channel = locks ? openChannel(name) : undefined;

  let state: LiveState | undefined;
  let lastId: string | undefined;
  let status: LiveStatus = { state: 'connecting', since: now(), lastDataAt: undefined };
  let leading = false;
  let heardLeaderAt = now();
  let toldAt = 0;

  const setStatus = (next: LiveStatus) => {
    status = next;
    options.onStatus(next);
  };
  const take = (event: LiveEvent, id: string | undefined) => {
    if (state === undefined && event.type !== 'snapshot') return;
    state = applyLiveEvent(state ?? { deployments: [], activity: [] }, event);
    lastId = id ?? lastId;
    options.onEvent(event);
  };

  const lead = (): (() => void) => {
    leading = true;
    if (state) channel?.postMessage({ kind: 'state', state, id: lastId, status });
    const tell = () => {
      toldAt = now();
      channel?.postMessage({ kind: 'status', status });
    };
    const stopFollowing = follow({
      url: urlOf('streamEvents', { query: { team: teamId } }),
      lastEventId: state ? lastId : undefined,
      onMessage: (message) => {
        const event = readEvent(message);
        take(event, message.id);
        channel?.postMessage({ kind: 'event', event, id: message.id });
      },
      onStatus: (next) => {
        setStatus({ ...status, state: next, since: next === status.state ? status.since : now() });
        tell();
      },
      onData: () => {
        setStatus({ ...status, lastDataAt: now() });
        if (now() - toldAt > TELL_STATUS_EVERY_MILLISECONDS) tell();
      },
      onRefused: options.onRefused,
    });
    return () => {
      leading = false;
      stopFollowing();
    };
  };

  if (!locks || !channel) {
    const stop = lead();
    return stop;
  }

  channel.onmessage = ({ data }) => {
    if (data.kind === 'hello') {
      if (leading && state) channel.postMessage({ kind: 'state', state, id: lastId, status });
      return;
    }
    if (leading) return;
    heardLeaderAt = now();
    if (data.kind === 'event') take(data.event, data.id);
    if (data.kind === 'state') take({ type: 'snapshot', ...data.state }, data.id);
    if (data.kind === 'state' || data.kind === 'status') setStatus(data.status);
  };
  channel.postMessage({ kind: 'hello' });

  const leadWhenGranted = async (steal: boolean): Promise<void> => {
    const request = steal ? { steal } : { signal: stopped.signal };
    let stop: (() => void) | undefined;
    try {
      await locks.request(name, request, () => {
        if (stopped.signal.aborted) return;
        stop = lead();
        return new Promise<void>((resolve) => stopped.signal.addEventListener('abort', () => resolve()));
      });
    } catch {
      // Stopped while waiting, or another tab took the lock because this one was silent for too long.
      if (!stopped.signal.aborted) setTimeout(() => void leadWhenGranted(false), 0);
    } finally {
      stop?.();
    }
  };
  const watch = setInterval(() => {
    if (leading || now() - heardLeaderAt < LEADER_SILENT_MILLISECONDS) return;
    heardLeaderAt = now();
    void leadWhenGranted(true);
  }, LEADER_SILENT_MILLISECONDS / 3);

  void leadWhenGranted(false);
  return () => {
    clearInterval(watch);
    stopped.abort();
    channel.close();
  };
}

export function readEvent(message: StreamMessage): LiveEvent {
  return { type: message.event, ...(JSON.parse(message.data) as object) } as LiveEvent;
}

function defaultChannel(name: string): Channel {
  return new BroadcastChannel(name) as unknown as Channel;
}
