import { type Clock, delay } from '@berth/kube/client/clock';

/**
 * The time between a wish to stop and the stop. A balancer goes on sending requests until it has heard that this process is not ready, so
 * meanwhile everything is served as before, only that no connection is kept:
 *
 *     serving -> (begin) not ready, serves, `connection: close` -> (the time is over) listeners close, streams and shells end
 */
export interface Draining {
  /** Aborts with the wish to stop. What lasts may tell its client now, and need not end yet. */
  readonly signal: AbortSignal;
  active(): boolean;
  /** Resolves when the time is over. Asked again, it is the same time. */
  begin(): Promise<void>;
}

export function createDraining(options: { seconds: number; timer: Clock }): Draining {
  const started = new AbortController();
  let over: Promise<void> | undefined;
  return {
    signal: started.signal,
    active: () => started.signal.aborted,
    begin() {
      started.abort('draining');
      over ??= delay(options.timer, options.seconds * 1000);
      return over;
    },
  };
}
