import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { WorkQueueObserver } from './work-queue.ts';

export type ReconcileResult = 'success' | 'requeue_after' | 'requeue' | 'error';

/** What one controller counts, under the names that dashboards for controller-runtime know. */
export interface ControllerMetrics {
  queue: WorkQueueObserver;
  started(): void;
  finished(result: ReconcileResult, milliseconds: number): void;
  terminalError(): void;
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const QUEUE_SECONDS = [0.001, 0.01, 0.1, 1, 10, 100, 1000];

export function createControllerMetrics(
  registry: Registry,
  controller: string,
  concurrency: number,
): ControllerMetrics {
  const runs = counter(registry, 'controller_runtime_reconcile_total', 'Reconciles by result', ['result']);
  const errors = counter(registry, 'controller_runtime_reconcile_errors_total', 'Reconciles that failed');
  const terminal = counter(
    registry,
    'controller_runtime_terminal_reconcile_errors_total',
    'Reconciles that failed in a way that is not tried again',
  );
  const time = histogram(registry, 'controller_runtime_reconcile_time_seconds', 'Length of a reconcile', SECONDS);
  const active = gauge(registry, 'controller_runtime_active_workers', 'Workers that reconcile now');
  const workers = gauge(registry, 'controller_runtime_max_concurrent_reconciles', 'Workers there are');
  const adds = counter(registry, 'workqueue_adds_total', 'Keys added to the queue');
  const retries = counter(registry, 'workqueue_retries_total', 'Keys added to the queue again after a failure');
  const depth = gauge(registry, 'workqueue_depth', 'Keys that wait');
  const waited = histogram(registry, 'workqueue_queue_duration_seconds', 'How long a key waited', QUEUE_SECONDS);
  const worked = histogram(registry, 'workqueue_work_duration_seconds', 'How long a key was worked on', QUEUE_SECONDS);
  const labels = { controller };
  workers.set(labels, concurrency);
  // A series that appears with its first failure hides that failure from a rate.
  for (const result of ['success', 'requeue_after', 'requeue', 'error']) runs.inc({ ...labels, result }, 0);
  for (const empty of [errors, terminal, adds, retries]) empty.inc(labels, 0);
  return {
    queue: {
      added: () => adds.inc(labels),
      retried: () => retries.inc(labels),
      taken: (milliseconds) => waited.observe(labels, milliseconds / 1000),
      finished: (milliseconds) => worked.observe(labels, milliseconds / 1000),
      depth: (size) => depth.set(labels, size),
    },
    started: () => active.inc(labels),
    finished(result, milliseconds) {
      active.dec(labels);
      runs.inc({ ...labels, result });
      if (result === 'error') errors.inc(labels);
      time.observe(labels, milliseconds / 1000);
    },
    terminalError: () => terminal.inc(labels),
  };
}

/** Several controllers share a registry, and a registry takes each name once. */
function existing<T>(registry: Registry, name: string, make: () => T): T {
  return (registry.getSingleMetric(name) as T | undefined) ?? make();
}

function counter(registry: Registry, name: string, help: string, more: string[] = []): Counter {
  const labelNames = ['controller', ...more];
  return existing(registry, name, () => new Counter({ name, help, labelNames, registers: [registry] }));
}

function gauge(registry: Registry, name: string, help: string): Gauge {
  return existing(registry, name, () => new Gauge({ name, help, labelNames: ['controller'], registers: [registry] }));
}

function histogram(registry: Registry, name: string, help: string, buckets: number[]): Histogram {
  const options = { name, help, labelNames: ['controller'], buckets, registers: [registry] };
  return existing(registry, name, () => new Histogram(options));
}
