import { expect, test } from 'vitest';
import { createBackoff } from './backoff.ts';
import { delay } from './clock.ts';
import { createFakeClock } from './testing/fake-clock.ts';

const options = { initialMs: 100, maxMs: 400, resetAfterMs: 1000 };

test('delays double up to the limit, each spread by chance over as much again', () => {
  const least = createBackoff(
    options,
    createFakeClock(() => 0),
  );
  expect([1, 2, 3, 4].map(() => least.next())).toEqual([100, 200, 400, 400]);
  const most = createBackoff(
    options,
    createFakeClock(() => 0.99),
  );
  expect([1, 2, 3, 4].map(() => most.next())).toEqual([199, 398, 796, 796]);
});

test('a while without failure starts anew', async () => {
  const clock = createFakeClock(() => 0);
  const backoff = createBackoff(options, clock);
  for (let i = 0; i < 4; i++) backoff.next();
  await clock.advance(1300);
  expect(backoff.next()).toBe(400);
  await clock.advance(1500);
  expect(backoff.next()).toBe(100);
});

test('a delay ends early when its signal aborts', async () => {
  const clock = createFakeClock();
  const controller = new AbortController();
  let ended = false;
  const waiting = delay(clock, 1000, controller.signal).then(() => {
    ended = true;
  });
  await clock.advance(10);
  expect(ended).toBe(false);
  controller.abort();
  await waiting;
  await delay(clock, 1000, controller.signal);
});
