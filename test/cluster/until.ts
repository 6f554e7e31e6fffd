import { setTimeout as wait } from 'node:timers/promises';

const LOOK_EVERY_MS = 50;

/** Whether it came true in time. It is looked at once at the least. */
export async function until(holds: () => boolean | Promise<boolean>, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    if (await holds()) return true;
    if (performance.now() > deadline) return false;
    await wait(LOOK_EVERY_MS);
  }
}
