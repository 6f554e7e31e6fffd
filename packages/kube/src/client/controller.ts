import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { Registry } from 'prom-client';
import { type KubeObject, splitKey } from '../schema/object.ts';
import { isKubeError } from '../schema/status.ts';
import { unlessAborted } from './abort.ts';
import { type Clock, systemClock } from './clock.ts';
import { createControllerMetrics, type ReconcileResult } from './controller-metrics.ts';
import type { Logger } from './logger.ts';
import type { Change } from './object-cache.ts';
import type { Reflector } from './reflector.ts';
import { createWorkQueue, type WorkQueueOptions } from './work-queue.ts';

/**
 * Runs `reconcile(key)` whenever something may differ from what is wanted. A reconcile is level-triggered: it learns which
 * object to look at, never what happened to it; it reads, compares, writes what is missing, and is safe to run again.
 *
 * Its outcome decides about the key:
 *
 *     returns nothing            done until something changes
 *     returns requeueAfterMs     again after that time, to look at what no event announces
 *     throws Conflict            its copy was old: again soon, not an error
 *     throws TerminalError       trying again cannot help: logged, counted, done until something changes
 *     throws anything else       logged, counted, again with a delay that doubles
 */
export interface Controller {
  readonly name: string;
  /** Reconciles the keys that each change of an object concerns; of an update, those of its state before as well. */
  watches<T extends KubeObject>(
    reflector: Reflector<T>,
    mapToKeys: (object: T) => string[],
    filter?: ChangeFilter<T>,
  ): Controller;
  /** For what no reflector sees. */
  enqueue(key: string): void;
  /** Starts the reflectors and, when all have synced, the workers; resolves then. */
  start(): Promise<void>;
  /** Workers run and every cache they read is up to date. */
  ready(): boolean;
  /** Starts no reconcile any more, aborts the signal of those that run and waits for them. Leaves the reflectors running. */
  stop(): Promise<void>;
}

/** True for a change that concerns the controller. */
export type ChangeFilter<T> = (change: Change<T>) => boolean;

export interface ReconcileContext {
  /** Carries controller, key and reconcileId. */
  logger: Logger;
  reconcileId: string;
  /** Aborts when the controller stops, for instance because another leader takes over: begin nothing after it. */
  signal: AbortSignal;
}

// biome-ignore lint/suspicious/noConfusingVoidType: a reconcile that has nothing to say just ends
export type ReconcileOutcome = { requeueAfterMs?: number } | void;

export type Reconcile = (key: string, context: ReconcileContext) => Promise<ReconcileOutcome>;

export interface ControllerOptions {
  name: string;
  reconcile: Reconcile;
  logger: Logger;
  /** Reconciles at the same time; never two of one key. */
  concurrency?: number;
  queue?: Omit<WorkQueueOptions, 'clock' | 'observer'>;
  metrics?: Registry;
  clock?: Clock;
  newId?: () => string;
}

/** Trying again cannot help, only a change can: an invalid spec, a name that another owner holds. */
export class TerminalError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'TerminalError';
  }
}

export function createController(options: ControllerOptions): Controller {
  const { name, reconcile, concurrency = 1, clock = systemClock, newId = randomUUID } = options;
  const logger = options.logger.child({ controller: name });
  const metrics = createControllerMetrics(options.metrics ?? new Registry(), name, concurrency);
  const queue = createWorkQueue({ ...options.queue, clock, observer: metrics.queue });
  const reflectors = new Set<Reflector<never>>();
  const detach: (() => void)[] = [];
  const stopping = new AbortController();
  // Each reconcile listens, several times.
  setMaxListeners(0, stopping.signal);
  let workers: Promise<void>[] = [];

  async function work(): Promise<void> {
    for (;;) {
      const key = await queue.take();
      if (key === undefined) return;
      try {
        await runOnce(key);
      } finally {
        queue.done(key);
      }
    }
  }

  async function runOnce(key: string): Promise<void> {
    const reconcileId = newId();
    const context = { logger: logger.child({ ...splitKey(key), reconcileId }), reconcileId, signal: stopping.signal };
    const started = clock.monotonic();
    metrics.started();
    let result: ReconcileResult = 'error';
    try {
      result = settle(key, await reconcile(key, context));
    } catch (error) {
      result = settleFailure(key, error, context.logger);
    } finally {
      metrics.finished(result, clock.monotonic() - started);
    }
  }

  function settle(key: string, outcome: ReconcileOutcome): ReconcileResult {
    const after = outcome?.requeueAfterMs;
    if (after !== undefined && !(after > 0)) {
      // "At once" from a reconcile that says so each time would spin: it backs off like a failure.
      queue.retry(key);
      return 'requeue';
    }
    queue.forget(key);
    if (after === undefined) return 'success';
    queue.addAfter(key, after);
    return 'requeue_after';
  }

  function settleFailure(key: string, err: unknown, log: Logger): ReconcileResult {
    if (stopping.signal.aborted) {
      log.debug({ err }, 'reconcile ended by stop');
      return 'requeue';
    }
    if (isKubeError(err, 'Conflict')) {
      const retryInMs = queue.retry(key);
      log.debug({ err, retryInMs }, 'reconcile met a newer object');
      return 'requeue';
    }
    if (err instanceof TerminalError) {
      queue.forget(key);
      metrics.terminalError();
      log.error({ err }, 'reconcile failed for good');
      return 'error';
    }
    const retryInMs = queue.retry(key);
    log.error({ err, retryInMs }, 'reconcile failed');
    return 'error';
  }

  const controller: Controller = {
    name,
    watches(reflector, mapToKeys, filter = () => true) {
      reflectors.add(reflector as unknown as Reflector<never>);
      const handler = (change: Change<Parameters<typeof mapToKeys>[0]>) => {
        if (!filter(change)) return;
        const before = change.type === 'updated' ? mapToKeys(change.previous) : [];
        for (const key of new Set([...mapToKeys(change.object), ...before])) queue.add(key);
      };
      detach.push(reflector.onChange(name, handler));
      return controller;
    },
    enqueue: (key) => queue.add(key),
    async start() {
      for (const reflector of reflectors) reflector.start();
      await unlessAborted(Promise.all([...reflectors].map((reflector) => reflector.synced)), stopping.signal);
      if (stopping.signal.aborted || workers.length > 0) return;
      workers = Array.from({ length: concurrency }, () => work());
      logger.info({ workers: concurrency }, 'controller started');
    },
    ready: () => workers.length > 0 && !stopping.signal.aborted && [...reflectors].every((one) => one.healthy()),
    async stop() {
      stopping.abort(new Error(`controller ${name} is stopping`));
      for (const end of detach.splice(0)) end();
      await queue.shutDown();
      await Promise.all(workers);
    },
  };
  return controller;
}
