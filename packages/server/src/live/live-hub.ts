import type { Database, Subscription } from '../db/database.ts';
import type { Logger } from '../logger.ts';
import { LIVE_CHANNEL } from './live-changes.ts';

/** One listening connection per process, however many streams are open: tells each that its team has changed. */
export interface LiveHub {
  /** Calls back after each change of the team, and when changes may have been missed. Returns how to end it. */
  subscribe(teamId: string, onChange: () => void): () => void;
  stop(): Promise<void>;
}

export function createLiveHub({ database, logger }: { database: Pick<Database, 'listen'>; logger: Logger }): LiveHub {
  const listeners = new Map<string, Set<() => void>>();
  let subscription: Promise<Subscription | undefined> | undefined;
  let stopped = false;

  function tell(teamIds: Iterable<string>): void {
    for (const teamId of teamIds) for (const listener of listeners.get(teamId) ?? []) listener();
  }

  function listen(): void {
    subscription ??= database
      .listen(LIVE_CHANNEL, { onNotification: (teamId) => tell([teamId]), onGap: () => tell(listeners.keys()) })
      .catch((err: unknown) => {
        // Streams look by themselves every few seconds; the next one that opens tries to listen again.
        logger.warn({ err }, 'live changes are polled: listening failed');
        subscription = undefined;
        return undefined;
      });
  }

  return {
    subscribe(teamId, onChange) {
      if (!stopped) listen();
      const set = listeners.get(teamId) ?? new Set();
      listeners.set(teamId, set.add(onChange));
      return () => {
        set.delete(onChange);
        if (set.size === 0 && listeners.get(teamId) === set) listeners.delete(teamId);
      };
    },
    async stop() {
      stopped = true;
      await (await subscription)?.stop();
    },
  };
}
