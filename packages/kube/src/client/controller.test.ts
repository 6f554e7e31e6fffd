import { Registry } from 'prom-client';
import { afterEach, describe, expect, test } from 'vitest';
import { type KubeObject, objectKey, type ResourceType } from '../schema/object.ts';
import { KubeError } from '../schema/status.ts';
import { type Controller, type ControllerOptions, createController, TerminalError } from './controller.ts';
import { createReflector, type Reflector } from './reflector.ts';
import { createFakeClock } from './testing/fake-clock.ts';
import { createScriptedApi } from './testing/scripted-api.ts';
import { createSilentLogger } from './testing/silent-logger.ts';

const THING: ResourceType = { group: '', version: 'v1', kind: 'Thing', plural: 'things', namespaced: true };
const MINUTE = 60_000;

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

function makeScene(reconcile: ControllerOptions['reconcile'], options: Partial<ControllerOptions> = {}) {
  const clock = createFakeClock();
  const api = createScriptedApi(clock.monotonic);
  const logger = createSilentLogger();
  const reflector: Reflector = createReflector({ client: api.client, type: THING, logger, clock });
  const metrics = new Registry();
  let ids = 0;
  const newId = () => `id-${++ids}`;
  const controller: Controller = createController({
    name: 'things',
    reconcile,
    logger,
    clock,
    metrics,
    newId,
    ...options,
  });
  controller.watches(reflector, (object) => [objectKey(object)]);
  stops.push(
    () => reflector.stop(),
    () => controller.stop(),
  );
  const value = async (name: string, labels: Record<string, string> = {}) => {
    const metric = await metrics.getSingleMetric(name)?.get();
    const match = metric?.values.find((one) =>
      Object.entries(labels).every(([key, label]) => one.labels[key] === label),
    );
    return match?.value;
  };
  return { clock, api, logger, reflector, controller, value };
}

async function startScene(...parameters: Parameters<typeof makeScene>) {
  const scene = makeScene(...parameters);
  const started = scene.controller.start();
  await scene.clock.advance(0);
  await started;
  return scene;
}

test('workers start when the cache has synced, and then see all of it', async () => {
  const seen: string[] = [];
  const { api, clock, controller, reflector } = makeScene(async (key) => {
    expect(reflector.list()).toHaveLength(2);
    seen.push(key);
  });
  api.set('a', 1);
  api.set('b', 1);
  api.inflict('refuse');
  const started = controller.start();
  await clock.advance(MINUTE);
  expect(seen).toEqual([]);
  expect(controller.ready()).toBe(false);
  api.heal();
  await clock.advance(MINUTE);
  await started;
  expect(seen).toEqual(['team/a', 'team/b']);
  expect(controller.ready()).toBe(true);
});

test('an update concerns the keys of the state before as well', async () => {
  const seen: string[] = [];
  const { api, clock, reflector, controller } = makeScene(async (key) => {
    seen.push(key);
  });
  controller.watches(reflector, (object: KubeObject) => [`owner-${object.value}`]);
  const started = controller.start();
  await clock.advance(0);
  await started;
  api.set('a', 1);
  await clock.advance(0);
  seen.length = 0;
  api.set('a', 2);
  await clock.advance(0);
  expect(seen).toEqual(['team/a', 'owner-2', 'owner-1']);
});

test('a change that the filter leaves out starts nothing', async () => {
  let runs = 0;
  const clock = createFakeClock();
  const api = createScriptedApi(clock.monotonic);
  const logger = createSilentLogger();
  const reflector = createReflector({ client: api.client, type: THING, logger, clock });
  const reconcile = async () => {
    runs++;
  };
  const controller = createController({ name: 'things', reconcile, logger, clock });
  controller.watches(
    reflector,
    (object) => [objectKey(object)],
    ({ object }) => object.value !== 0,
  );
  stops.push(
    () => reflector.stop(),
    () => controller.stop(),
  );
  const started = controller.start();
  await clock.advance(0);
  await started;
  api.set('a', 0);
  await clock.advance(0);
  expect(runs).toBe(0);
  api.set('a', 1);
  await clock.advance(0);
  expect(runs).toBe(1);
});

describe('the outcome decides about the key', () => {
  /** Runs each step once, in order, then does nothing. */
  const script = (...steps: (() => unknown)[]) => {
    const times: number[] = [];
    const reconcile = async () => {
      times.push(scene!.clock.monotonic());
      return steps.shift()?.() as undefined;
    };
    let scene: Awaited<ReturnType<typeof startScene>> | undefined;
    return {
      times,
      async start() {
        scene = await startScene(reconcile);
        scene.api.set('a', 1);
        await scene.clock.advance(0);
        return scene;
      },
    };
  };
  const fail = (error: Error) => () => {
    throw error;
  };
  const conflict = new KubeError(409, 'Conflict', 'the object has been modified');

  test('nothing: done until something changes', async () => {
    const { times, start } = script();
    const { clock, value } = await start();
    await clock.advance(MINUTE);
    expect(times).toHaveLength(1);
    expect(await value('controller_runtime_reconcile_total', { controller: 'things', result: 'success' })).toBe(1);
  });

  test('requeueAfterMs: again after that time', async () => {
    const { times, start } = script(() => ({ requeueAfterMs: 5000 }));
    const { clock, value } = await start();
    await clock.advance(MINUTE);
    expect(times).toEqual([0, 5000]);
    expect(await value('controller_runtime_reconcile_total', { result: 'requeue_after' })).toBe(1);
  });

  test('requeueAfterMs of zero each time does not spin', async () => {
    const { times, start } = script(...Array.from({ length: 1000 }, () => () => ({ requeueAfterMs: 0 })));
    const { clock } = await start();
    await clock.advance(MINUTE);
    expect(times.length).toBeLessThan(20);
  });

  test('an error: logged with its id, counted, again with a delay that doubles', async () => {
    const { times, start } = script(fail(new Error('1')), fail(new Error('2')), fail(new Error('3')));
    const { clock, value, logger } = await start();
    await clock.advance(MINUTE);
    expect(times).toEqual([0, 5, 15, 35]);
    expect(await value('controller_runtime_reconcile_errors_total')).toBe(3);
    expect(await value('workqueue_retries_total')).toBe(3);
    const logged = logger.records.filter(({ message }) => message === 'reconcile failed');
    expect(logged[0]).toMatchObject({
      level: 'error',
      fields: { controller: 'things', namespace: 'team', name: 'a', reconcileId: 'id-1', retryInMs: 5 },
    });
  });

  test('a conflict: again soon, and no error', async () => {
    const { times, start } = script(fail(conflict));
    const { clock, value, logger } = await start();
    await clock.advance(MINUTE);
    expect(times).toEqual([0, 5]);
    expect(await value('controller_runtime_reconcile_errors_total')).toBe(0);
    expect(logger.records.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
  });

  test('a terminal error: logged and counted, not tried again until something changes', async () => {
    const { times, start } = script(fail(new TerminalError('no such plan')));
    const { clock, value, logger, api } = await start();
    await clock.advance(MINUTE);
    expect(times).toHaveLength(1);
    expect(await value('controller_runtime_terminal_reconcile_errors_total')).toBe(1);
    expect(logger.records.filter(({ level }) => level === 'error')).toHaveLength(1);
    api.set('a', 2);
    await clock.advance(0);
    expect(times).toHaveLength(2);
  });
});

test('one key never runs twice at once, different keys do', async () => {
  const running = new Set<string>();
  const finish: (() => void)[] = [];
  let most = 0;
  const reconcile = async (key: string) => {
    expect(running.has(key)).toBe(false);
    running.add(key);
    most = Math.max(most, running.size);
    await new Promise<void>((resolve) => finish.push(resolve));
    running.delete(key);
  };
  const { api, clock } = await startScene(reconcile, { concurrency: 3 });
  for (let round = 0; round < 20; round++) {
    for (const name of ['a', 'b', 'c', 'd']) api.set(name, round);
    await clock.advance(0);
    for (const end of finish.splice(0)) end();
    await clock.advance(0);
  }
  expect(most).toBe(3);
  for (let round = 0; round < 5; round++) {
    for (const end of finish.splice(0)) end();
    await clock.advance(0);
  }
  expect(running.size).toBe(0);
});

test('stop aborts the signal, waits for what runs and starts nothing more', async () => {
  let release: (() => void) | undefined;
  let signal: AbortSignal | undefined;
  let runs = 0;
  const { api, clock, controller } = await startScene(async (_key, context) => {
    runs++;
    signal = context.signal;
    await new Promise<void>((resolve) => {
      release = resolve;
    });
  });
  api.set('a', 1);
  await clock.advance(0);
  let stopped = false;
  const stopping = controller.stop().then(() => {
    stopped = true;
  });
  api.set('b', 1);
  await clock.advance(MINUTE);
  expect(signal?.aborted).toBe(true);
  expect(stopped).toBe(false);
  expect(controller.ready()).toBe(false);
  release?.();
  await stopping;
  expect(runs).toBe(1);
});

test('case 13: not ready while stale, ready again after', async () => {
  const { api, clock, controller } = await startScene(async () => undefined);
  expect(controller.ready()).toBe(true);
  api.block();
  await clock.advance(5 * MINUTE);
  expect(controller.ready()).toBe(false);
  await clock.advance(15 * MINUTE);
  api.heal();
  await clock.advance(MINUTE);
  expect(controller.ready()).toBe(true);
});

test('case 16: a key edited 20 times a second while 60 children change reconciles a bounded number of times', async () => {
  let runs = 0;
  const reconcile = async () => {
    runs++;
  };
  const { api, clock, controller, reflector } = makeScene(reconcile, { queue: { minIntervalMs: 200 } });
  controller.watches(reflector, () => ['team/parent']);
  const started = controller.start();
  await clock.advance(0);
  await started;
  for (let tick = 0; tick < 200; tick++) {
    api.set('parent', tick);
    for (let child = tick % 20; child < 60; child += 20) api.set(`child-${child}`, tick);
    await clock.advance(50);
  }
  await clock.advance(1000);
  const parentRuns = 10_000 / 200;
  const childRuns = 600;
  expect(runs).toBeLessThan(parentRuns + childRuns + 20);
  const settled = runs;
  await clock.advance(MINUTE);
  expect(runs).toBe(settled);
});

test('several controllers share one registry', async () => {
  const metrics = new Registry();
  const logger = createSilentLogger();
  const reconcile = async () => undefined;
  for (const name of ['one', 'two']) createController({ name, reconcile, logger, metrics });
  const text = await metrics.metrics();
  expect(text).toContain('workqueue_adds_total{controller="one"} 0');
  expect(text).toContain('workqueue_adds_total{controller="two"} 0');
});
