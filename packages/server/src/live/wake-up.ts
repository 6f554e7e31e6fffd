import { type Clock, delay } from '@berth/kube/client/clock';

/** A bell that a loop waits for: rings before the wait count, so nothing is slept through. */
export interface WakeUp {
  ring(): void;
  /** Resolves at the next ring, after the time, or when the signal aborts: to whether it rang. */
  wait(milliseconds: number): Promise<boolean>;
}

export function createWakeUp(clock: Clock, signal: AbortSignal): WakeUp {
  let bell = new AbortController();
  signal.addEventListener('abort', () => bell.abort(), { once: true });
  return {
    ring: () => bell.abort(),
    async wait(milliseconds) {
      await delay(clock, milliseconds, bell.signal);
      const rang = bell.signal.aborted;
      if (rang && !signal.aborted) bell = new AbortController();
      return rang;
    },
  };
}
