import * as fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import type { KubeObject, ResourceType } from '../schema/object.ts';
import type { Change } from './object-cache.ts';
import { createReflector, type Reflector, type ReflectorOptions, withoutManagedFields } from './reflector.ts';
import { createFakeClock, type FakeClock } from './testing/fake-clock.ts';
import { createScriptedApi, type Fault, type ScriptedApi } from './testing/scripted-api.ts';
import { createSilentLogger } from './testing/silent-logger.ts';

const THING: ResourceType = { group: '', version: 'v1', kind: 'Thing', plural: 'things', namespaced: true };
const MINUTE = 60_000;

interface Scene {
  clock: FakeClock;
  api: ScriptedApi;
  reflector: Reflector;
  changes: Change<KubeObject>[];
  /** `added a=1` */
  told(): string[];
  logger: ReturnType<typeof createSilentLogger>;
}

const running: Reflector[] = [];
afterEach(async () => {
  for (const reflector of running.splice(0)) await reflector.stop();
});

function makeScene(options: Partial<ReflectorOptions<KubeObject>> = {}, random?: () => number): Scene {
  const clock = createFakeClock(random);
  const api = createScriptedApi(clock.monotonic);
  const logger = createSilentLogger();
  const reflector = createReflector({ client: api.client, type: THING, logger, clock, ...options });
  const changes: Change<KubeObject>[] = [];
  reflector.onChange('test', (change) => changes.push(change));
  running.push(reflector);
  const told = () => changes.map(({ type, object }) => `${type} ${object.metadata.name}=${object.value}`);
  return { clock, api, reflector, changes, told, logger };
}

async function startScene(...parameters: Parameters<typeof makeScene>): Promise<Scene> {
  const scene = makeScene(...parameters);
  scene.reflector.start();
  await scene.clock.advance(0);
  return scene;
}

function expectSame(reflector: Reflector, api: ScriptedApi): void {
  const byName = (a: KubeObject, b: KubeObject) => a.metadata.name.localeCompare(b.metadata.name);
  expect(reflector.list().sort(byName)).toEqual(api.objects().sort(byName));
}

test('the list arrives as adds, then every change in order', async () => {
  const { api, reflector, clock, told } = makeScene();
  api.set('a', 1);
  api.set('b', 1);
  reflector.start();
  await reflector.synced;
  expect(told()).toEqual(['added a=1', 'added b=1']);
  api.set('a', 2);
  api.remove('b');
  api.set('b', 3);
  await clock.advance(0);
  expect(told().slice(2)).toEqual(['updated a=2', 'deleted b=1', 'added b=3']);
  expectSame(reflector, api);
});

test('a long list comes in pages', async () => {
  const { api, reflector, changes } = makeScene();
  for (let i = 0; i < 1201; i++) api.set(`thing-${i}`, i);
  reflector.start();
  await reflector.synced;
  expect(changes).toHaveLength(1201);
  expect(api.requests.filter(({ verb }) => verb === 'list')).toHaveLength(3);
});

test('an event that was lost is found by the list that comes once an hour, and no list comes in between', async () => {
  const { api, reflector, clock, told } = await startScene();
  const { watch } = api.client;
  api.set('a', 1);
  api.set('b', 1);
  await clock.advance(0);
  const lists = () => api.requests.filter(({ verb }) => verb === 'list').length;
  // A server that forgets to tell of one change.
  api.client.watch = async function* (type, options) {
    for await (const event of watch(type, options)) if (event.object.metadata.name !== 'a') yield event as never;
  } as typeof watch;
  // As a server does: bookmarks, and an end after some minutes.
  const pass = async (minutes: number) => {
    for (let minute = 1; minute <= minutes; minute++) {
      await clock.advance(MINUTE);
      if (minute % 7 === 0) api.inflict('end');
      else api.bookmark();
    }
  };
  await pass(14);
  api.remove('a');
  api.set('c', 1);
  await pass(35);
  expect(told().slice(2)).toEqual(['added c=1']);
  expect(lists()).toBe(1);
  await pass(21);
  expect(lists()).toBe(2);
  expect(told().slice(3)).toEqual(['deleted a=1']);
  expectSame(reflector, api);
});

test('a list whose later pages expired is asked for whole', async () => {
  const { api, reflector } = makeScene();
  for (let i = 0; i < 600; i++) api.set(`thing-${i}`, i);
  const list = api.client.list;
  api.client.list = (type, options) => {
    if (options?.continue) api.compact();
    return list(type, options);
  };
  reflector.start();
  await reflector.synced;
  expect(reflector.list()).toHaveLength(600);
});

test('a handler that comes late is told of everything known', async () => {
  const { api, reflector, clock } = await startScene();
  api.set('a', 1);
  await clock.advance(0);
  const late: string[] = [];
  const end = reflector.onChange('late', ({ type, object }) => late.push(`${type} ${object.metadata.name}`));
  api.set('b', 1);
  await clock.advance(0);
  end();
  api.set('c', 1);
  await clock.advance(0);
  expect(late).toEqual(['added a', 'added b']);
});

test('a handler that throws or rejects is logged by name and stops nothing', async () => {
  const { api, reflector, clock, told, logger } = makeScene();
  reflector.onChange('thrower', () => {
    throw new Error('oops');
  });
  reflector.onChange('rejecter', async () => {
    throw new Error('oops later');
  });
  reflector.start();
  await clock.advance(0);
  api.set('a', 1);
  api.set('a', 2);
  await clock.advance(0);
  expect(told()).toEqual(['added a=1', 'updated a=2']);
  const failed = logger.records.filter(({ message }) => message === 'change handler failed');
  expect(failed.map(({ fields }) => fields.handler).sort()).toEqual(['rejecter', 'rejecter', 'thrower', 'thrower']);
});

test('indexes follow the objects', async () => {
  const parity = (object: KubeObject) => [Number(object.value) % 2 === 0 ? 'even' : 'odd'];
  const { api, reflector, clock } = await startScene({ indexers: { parity } });
  const names = (value: string) => reflector.byIndex('parity', value).map(({ metadata }) => metadata.name);
  api.set('a', 1);
  api.set('b', 2);
  await clock.advance(0);
  expect([names('odd'), names('even')]).toEqual([['a'], ['b']]);
  api.set('a', 4);
  api.remove('b');
  await clock.advance(0);
  expect([names('odd'), names('even')]).toEqual([[], ['a']]);
  expect(() => reflector.byIndex('colour', 'red')).toThrow('index "colour" was not declared; known: parity');
});

test('an indexer or transform that throws is logged and loses no object', async () => {
  const fail = () => {
    throw new Error('oops');
  };
  const { api, reflector, clock, logger } = await startScene({ indexers: { broken: fail }, transform: fail });
  api.set('a', 1);
  await clock.advance(0);
  expectSame(reflector, api);
  expect(new Set(logger.records.filter(({ level }) => level === 'error').map(({ message }) => message))).toEqual(
    new Set(['indexer failed', 'transform failed']),
  );
});

test('withoutManagedFields drops the bookkeeping alone', () => {
  const metadata = { name: 'a', labels: { b: 'c' } };
  const object = { apiVersion: 'v1', kind: 'Thing', metadata: { ...metadata, managedFields: [] } };
  expect(withoutManagedFields(object)).toEqual({ apiVersion: 'v1', kind: 'Thing', metadata });
});

describe('faults', () => {
  test.each<Fault>(['end', 'reset', 'malformed', 'silence', 'gone', 'refuse'])(
    'after %s what was missed arrives, once',
    async (fault) => {
      const { api, reflector, clock, told } = await startScene();
      api.set('kept', 1);
      api.set('gone', 1);
      api.set('anew', 1);
      await clock.advance(0);
      api.inflict(fault);
      api.set('kept', 2);
      api.remove('gone');
      api.remove('anew');
      api.set('anew', 2);
      api.set('new', 1);
      api.heal();
      await clock.advance(5 * MINUTE);
      expectSame(reflector, api);
      expect(told().slice(3).sort()).toEqual([
        'added anew=2',
        'added new=1',
        'deleted anew=1',
        'deleted gone=1',
        'updated kept=2',
      ]);
      expect(reflector.healthy()).toBe(true);
    },
  );

  test('a server that ends every watch at once is not flooded', async () => {
    const { api, clock } = await startScene();
    for (let second = 0; second < 600; second++) {
      api.inflict('end');
      await clock.advance(1000);
    }
    expect(api.requests.length).toBeLessThan(60);
  });

  test('a server that answers every watch with 410 is not flooded', async () => {
    const { api, clock, reflector } = await startScene();
    api.inflict('gone');
    await clock.advance(10 * MINUTE);
    expect(api.requests.length).toBeLessThan(100);
    api.heal();
    await clock.advance(2 * MINUTE);
    expect(reflector.healthy()).toBe(true);
  });

  test('a quiet collection with bookmarks keeps its watch', async () => {
    const { api, clock, reflector } = await startScene();
    for (let minute = 0; minute < 30; minute++) {
      api.bookmark();
      await clock.advance(MINUTE);
    }
    expect(api.requests).toHaveLength(2);
    expect(reflector.staleSince()).toBeUndefined();
  });

  test('a bookmark moves the version from which the next watch starts', async () => {
    const { api, clock } = await startScene();
    api.compact();
    api.bookmark();
    await clock.advance(2000);
    api.inflict('end');
    await clock.advance(2000);
    expect(api.requests.map(({ verb }) => verb)).toEqual(['list', 'watch', 'watch']);
  });

  test('stopped before it synced, synced rejects and nothing runs on', async () => {
    const { api, reflector, clock } = makeScene();
    api.inflict('refuse');
    reflector.start();
    await clock.advance(0);
    await reflector.stop();
    await expect(reflector.synced).rejects.toThrow('reflector things is stopped');
    const before = api.requests.length;
    await clock.advance(10 * MINUTE);
    expect(api.requests.length).toBe(before);
  });
});

describe('case 13: traffic blocked for 20 minutes without reset, then restored', () => {
  test('the block is noticed, few requests are made, and what was missed arrives after it', async () => {
    const { api, reflector, clock, told } = await startScene();
    api.set('kept', 1);
    api.set('gone', 1);
    await clock.advance(0);
    expect(reflector.healthy()).toBe(true);
    const blockedAt = clock.now();
    api.block();
    api.set('kept', 2);
    api.remove('gone');
    api.compact();
    await clock.advance(4 * MINUTE);
    expect(reflector.healthy()).toBe(false);
    expect(reflector.staleSince()).toBe(blockedAt);
    const before = api.requests.length;
    await clock.advance(16 * MINUTE);
    expect(api.requests.length - before).toBeLessThan(70);
    expect(reflector.healthy()).toBe(false);
    api.heal();
    await clock.advance(MINUTE);
    expect(reflector.healthy()).toBe(true);
    expect(told().slice(2)).toEqual(['updated kept=2', 'deleted gone=1']);
    expectSame(reflector, api);
  });

  test('fifty reflectors come back spread over time, a list and a watch each', async () => {
    const clock = createFakeClock(Math.random);
    const api = createScriptedApi(clock.monotonic);
    const all = Array.from({ length: 50 }, () =>
      createReflector({ client: api.client, type: THING, logger: createSilentLogger(), clock }),
    );
    running.push(...all);
    for (const reflector of all) reflector.start();
    await clock.advance(MINUTE);
    api.block();
    await clock.advance(20 * MINUTE);
    api.heal();
    const before = api.requests.length;
    await clock.advance(2 * MINUTE);
    const back = api.requests.slice(before);
    expect(all.every((reflector) => reflector.healthy())).toBe(true);
    expect(back).toHaveLength(100);
    const perSecond = new Map<number, number>();
    for (const { at } of back) perSecond.set(Math.floor(at / 1000), (perSecond.get(Math.floor(at / 1000)) ?? 0) + 1);
    expect(Math.max(...perSecond.values())).toBeLessThan(20);
  });
});

describe('under random faults', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd');
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant('set' as const), name, value: fc.nat(9) }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('remove' as const), name }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('compact' as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('bookmark' as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('block' as const) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('heal' as const) }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('inflict' as const),
        fault: fc.constantFrom<Fault>('refuse', 'gone', 'end', 'reset', 'malformed', 'silence'),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(0, 0, 500, 5_000, MINUTE) }),
    },
  );

  test('the copy ends equal to the server; nothing is lost, told twice or out of order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 60, size: 'max' }),
        fc.infiniteStream(fc.noShrink(fc.double({ min: 0, max: 0.999, noNaN: true }))),
        async (steps, chance) => {
          const { api, reflector, clock, changes } = await startScene({}, () => chance.next().value as number);
          for (const step of steps) {
            if (step.do === 'set') api.set(step.name, step.value);
            else if (step.do === 'remove') api.remove(step.name);
            else if (step.do === 'inflict') api.inflict(step.fault);
            else if (step.do === 'wait') await clock.advance(step.ms);
            else api[step.do]();
          }
          api.heal();
          await clock.advance(10 * MINUTE);
          await reflector.stop();
          expectSame(reflector, api);
          expectConsistent(changes, reflector);
        },
      ),
      { numRuns: 150 },
    );
  });

  /** Replays what the handler was told, by uid: one add, updates to ever newer versions, at most one delete. */
  function expectConsistent(changes: Change<KubeObject>[], reflector: Reflector): void {
    const lives = new Map<string, { version: number; ended: boolean }>();
    for (const { type, object } of changes) {
      const uid = object.metadata.uid!;
      const version = Number(object.metadata.resourceVersion);
      const life = lives.get(uid);
      if (type === 'added') expect(life).toBeUndefined();
      else expect(life).toMatchObject({ ended: false });
      if (life && type === 'updated') expect(version).toBeGreaterThan(life.version);
      lives.set(uid, { version, ended: type === 'deleted' });
    }
    const alive = [...lives].filter(([, life]) => !life.ended).map(([uid, life]) => `${uid}@${life.version}`);
    const held = reflector.list().map(({ metadata }) => `${metadata.uid}@${metadata.resourceVersion}`);
    expect(alive.sort()).toEqual(held.sort());
  }
});
