import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFakeClock, type FakeClock } from './testing/fake-clock.ts';
import { createWorkQueue, type WorkQueue, type WorkQueueOptions } from './work-queue.ts';

function makeQueue(options: WorkQueueOptions = {}): { queue: WorkQueue; clock: FakeClock } {
  const clock = createFakeClock();
  return { queue: createWorkQueue({ clock, ...options }), clock };
}

/** What is waiting now, in order, without waiting for more. */
async function takeAll(queue: WorkQueue): Promise<string[]> {
  const keys: string[] = [];
  while (queue.size > 0) keys.push((await queue.take())!);
  return keys;
}

test('keys come out in the order they came, each once', async () => {
  const { queue } = makeQueue();
  for (const key of ['a', 'b', 'a', 'c', 'b']) queue.add(key);
  expect(await takeAll(queue)).toEqual(['a', 'b', 'c']);
});

test('a worker that waits gets the next key', async () => {
  const { queue } = makeQueue();
  const first = queue.take();
  const second = queue.take();
  queue.add('a');
  queue.add('b');
  expect(await Promise.all([first, second])).toEqual(['a', 'b']);
});

test('a key added while it runs waits again, once, and only when it is done', async () => {
  const { queue } = makeQueue();
  queue.add('a');
  await queue.take();
  queue.add('a');
  queue.add('a');
  expect(queue.size).toBe(0);
  queue.done('a');
  expect(await takeAll(queue)).toEqual(['a']);
  queue.done('a');
  expect(queue.size).toBe(0);
});

test('a busy key waits behind the others', async () => {
  const { queue } = makeQueue();
  queue.add('busy');
  await queue.take();
  queue.add('busy');
  queue.add('other');
  queue.done('busy');
  expect(await takeAll(queue)).toEqual(['other', 'busy']);
});

describe('delays', () => {
  test.each([
    ['the earlier first', [1000, 5000]],
    ['the later first', [5000, 1000]],
  ])('the earlier of two wins: %s', async (_name, delays) => {
    const { queue, clock } = makeQueue();
    for (const milliseconds of delays) queue.addAfter('a', milliseconds);
    await clock.advance(999);
    expect(queue.size).toBe(0);
    await clock.advance(1);
    expect(await takeAll(queue)).toEqual(['a']);
    queue.done('a');
    await clock.advance(60_000);
    expect(queue.size).toBe(0);
  });

  test('an immediate add ends a delay', async () => {
    const { queue, clock } = makeQueue();
    queue.addAfter('a', 1000);
    queue.add('a');
    expect(await takeAll(queue)).toEqual(['a']);
    queue.done('a');
    await clock.advance(5000);
    expect(queue.size).toBe(0);
  });

  test('a delay that ends while the key runs brings it back afterwards', async () => {
    const { queue, clock } = makeQueue();
    queue.add('a');
    await queue.take();
    queue.addAfter('a', 1000);
    await clock.advance(2000);
    expect(queue.size).toBe(0);
    queue.done('a');
    expect(queue.size).toBe(1);
  });

  test('a failing key waits twice as long each time, until it is forgotten', () => {
    const { queue } = makeQueue({ retryInitialMs: 10, retryMaxMs: 60 });
    expect([1, 2, 3, 4, 5].map(() => queue.retry('a'))).toEqual([10, 20, 40, 60, 60]);
    expect(queue.retry('b')).toBe(10);
    queue.forget('a');
    expect(queue.retry('a')).toBe(10);
  });

  test('failures of many keys together are bounded by the bucket', async () => {
    const { queue, clock } = makeQueue({ retryBurst: 5, retriesPerSecond: 10 });
    const delays = Array.from({ length: 25 }, (_, index) => queue.retry(`key-${index}`));
    expect(delays.slice(0, 5)).toEqual([5, 5, 5, 5, 5]);
    expect(delays.at(-1)).toBe(2000);
    await clock.advance(2000);
    expect(queue.size).toBe(25);
    await clock.advance(500);
    expect(queue.retry('later')).toBe(5);
  });

  test('a key that changes all the time is given out no more often than its interval', async () => {
    const { queue, clock } = makeQueue({ minIntervalMs: 100 });
    let runs = 0;
    for (let ms = 0; ms < 1000; ms += 10) {
      queue.add('a');
      for (const key of await takeAll(queue)) {
        runs++;
        queue.done(key);
      }
      await clock.advance(10);
    }
    expect(runs).toBe(10);
    await clock.advance(100);
    expect(await takeAll(queue)).toEqual(['a']);
  });
});

describe('shutting down', () => {
  test('waits for what runs, drops what waits, and gives out nothing more', async () => {
    const { queue, clock } = makeQueue();
    queue.add('a');
    await queue.take();
    queue.add('a');
    queue.add('b');
    queue.addAfter('c', 10);
    let finished = false;
    const ending = queue.shutDown().then(() => {
      finished = true;
    });
    await clock.advance(1000);
    expect(finished).toBe(false);
    expect(await queue.take()).toBeUndefined();
    queue.done('a');
    await ending;
    queue.add('d');
    expect(queue.size).toBe(0);
  });

  test('ends workers that wait', async () => {
    const { queue } = makeQueue();
    const taking = queue.take();
    await queue.shutDown();
    expect(await taking).toBeUndefined();
  });
});

test('whatever is added, no key runs twice at once and none that was added is forgotten', async () => {
  const step = fc.record({
    do: fc.constantFrom(...(['add', 'addAfter', 'retry', 'take', 'done', 'wait'] as const)),
    key: fc.constantFrom('a', 'b', 'c'),
    ms: fc.nat(100),
  });
  type Step = { key: string; ms: number };
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 80, size: 'max' }),
      fc.constantFrom(0, 30),
      async (steps, minIntervalMs) => {
        const { queue, clock } = makeQueue({ minIntervalMs });
        const running = new Set<string>();
        const owed = new Set<string>();
        const start = async () => {
          if (queue.size === 0) return;
          const taken = (await queue.take())!;
          expect(running.has(taken)).toBe(false);
          running.add(taken);
          owed.delete(taken);
        };
        const act = {
          take: start,
          wait: ({ ms }: Step) => clock.advance(ms),
          done: ({ key }: Step) => running.delete(key) && queue.done(key),
          add: ({ key }: Step) => owed.add(key) && queue.add(key),
          addAfter: ({ key, ms }: Step) => owed.add(key) && queue.addAfter(key, ms),
          retry: ({ key }: Step) => owed.add(key) && queue.retry(key),
        };
        for (const step of steps) await act[step.do](step);
        for (let round = 0; round < 4; round++) {
          for (const key of running) queue.done(key);
          running.clear();
          await clock.advance(2_000_000);
          while (queue.size > 0) await start();
        }
        expect([...owed]).toEqual([]);
      },
    ),
    { numRuns: 100 },
  );
});
