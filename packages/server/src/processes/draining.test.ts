import { createFakeClock } from '@berth/kube/client/testing/fake-clock';
import { expect, it } from 'vitest';
import { createDraining } from './draining.ts';

it('a process that drains says so at once, and is told once when the time is over', async () => {
  const timer = createFakeClock();
  const draining = createDraining({ seconds: 5, timer });
  expect(draining.active()).toBe(false);
  let over = 0;
  for (let asked = 0; asked < 2; asked++) void draining.begin().then(() => over++);
  expect([draining.active(), draining.signal.aborted]).toEqual([true, true]);
  await timer.advance(4_999);
  expect(over).toBe(0);
  await timer.advance(1);
  expect(over).toBe(2);
});
