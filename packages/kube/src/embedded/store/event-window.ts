import { StoreCompactedError, type StoreEvent } from './store.ts';

type Listener = (event: StoreEvent) => void;

/** The newest events in commit order, and everyone who wants to hear of the next. */
export class EventWindow {
  readonly #capacity: number;
  #events: StoreEvent[] = [];
  #compacted = 0;
  readonly #listeners = new Map<string, Set<Listener>>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  compacted(): number {
    return this.#compacted;
  }

  /** Starts over from what a journal remembers. */
  reset(events: StoreEvent[], compacted: number): void {
    this.#events = events;
    this.#compacted = compacted;
  }

  push(event: StoreEvent): void {
    this.#events.push(event);
    // Trimming in large steps keeps the cost of a push constant.
    if (this.#events.length > this.#capacity * 1.25) this.compact(this.#events.at(-this.#capacity - 1)!.revision);
    for (const listener of this.#listeners.get(event.record.address.resource) ?? []) listener(event);
  }

  compact(revision: number): void {
    if (revision <= this.#compacted) return;
    this.#compacted = revision;
    this.#events = this.#events.slice(this.#after(revision));
  }

  watch(resource: string, since: number, listener: Listener): () => void {
    if (since < this.#compacted) throw new StoreCompactedError(since, this.#compacted);
    for (let at = this.#after(since); at < this.#events.length; at++) {
      const event = this.#events[at]!;
      if (event.record.address.resource === resource) listener(event);
    }
    const listeners = this.#listeners.get(resource) ?? new Set();
    this.#listeners.set(resource, listeners);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** Index of the first event with a greater version. */
  #after(revision: number): number {
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#events[middle]!.revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
