import { type Clock, delay } from '@berth/kube/client/clock';

/** How many shells and forwarded connections are open here: a server that stops waits for them, but not for ever. */
export interface Guests {
  /** The result says that this one has left. */
  arrive(): () => void;
  /** Resolves when nobody is here any more, or after the time. */
  allGone(milliseconds: number): Promise<void>;
}

export function createGuests(timer: Clock): Guests {
  const present = new Set<object>();
  let empty: AbortController | undefined;
  return {
    arrive() {
      const guest = {};
      present.add(guest);
      return () => {
        present.delete(guest);
        if (present.size === 0) empty?.abort();
      };
    },
    async allGone(milliseconds) {
      if (present.size === 0) return;
      empty = new AbortController();
      await delay(timer, milliseconds, empty.signal);
    },
  };
}
