import { delay } from '../../../client/clock.ts';
import type { Pod } from '../../../schema/kinds/pod.ts';
import type { PodContainer } from './pod-container.ts';
import { declaredContainers, launchOf, type PodScene, placeOf } from './pod-scene.ts';

/** After SIGKILL only a process that hangs in the kernel is still there. */
const KILL_WAIT_MS = 10_000;
const POLL_MS = 20;

/** What a preStop hook that took the whole grace period leaves to the program itself, as by a kubelet. */
const LEAST_GRACE_MS = 2000;

export interface Stopping {
  pod: Pod;
  /** Seconds, from the beginning. Asked for each time: a second delete may shorten it. */
  grace: () => number;
  /** The whole node goes: nobody is left who would have to forget the pod while it sleeps. */
  withoutSleep?: boolean;
}

/** preStop, SIGTERM, the grace period, SIGKILL. */
export async function stopContainer(scene: PodScene, one: PodContainer, how: Stopping): Promise<void> {
  if (!one.process.isRunning()) return;
  const { clock, events } = scene.context;
  const attempt = one.process.record()?.attempt;
  const isUp = (): boolean => one.process.isRunning() && one.process.record()?.attempt === attempt;
  const began = clock.monotonic();
  const leftMs = (): number => began + how.grace() * 1000 - clock.monotonic();
  events.record(how.pod, { type: 'Normal', reason: 'Killing', message: `Stopping container ${one.name}` });
  await runPreStop(scene, one, { ...how, goesOn: () => isUp() && leftMs() > 0 });
  if (isUp()) one.process.signal('SIGTERM');
  const least = clock.monotonic() + (how.grace() > 0 ? LEAST_GRACE_MS : 0);
  while (isUp() && (leftMs() > 0 || (how.grace() > 0 && clock.monotonic() < least))) await delay(clock, POLL_MS);
  if (isUp()) one.process.signal('SIGKILL');
  const killed = clock.monotonic();
  while (isUp() && clock.monotonic() - killed < KILL_WAIT_MS) await delay(clock, POLL_MS);
  if (isUp()) throw new Error(`container ${one.name} of pod ${how.pod.metadata.name} does not end`);
}

/** Runs the hook until it is done, the container has ended or the grace period is over, whichever is first. */
async function runPreStop(
  scene: PodScene,
  one: PodContainer,
  how: Stopping & { goesOn: () => boolean },
): Promise<void> {
  const { clock, events } = scene.context;
  const container = declaredContainers(how.pod).find(({ name }) => name === one.name);
  const hook = container?.lifecycle?.preStop;
  if (!container || !hook || !how.goesOn() || (how.withoutSleep && hook.sleep)) return;
  const ending = new AbortController();
  try {
    const place = placeOf(how.pod);
    const launch = launchOf(scene, container, { pod: how.pod, place });
    const limits = { timeoutMs: how.grace() * 1000, signal: ending.signal };
    let done = false;
    const running = one
      .runHook({ container, ...place, address: place.podIP, launch }, 'preStop', limits)
      .finally(() => {
        done = true;
      });
    // Its failure is told below; until then nobody is listening.
    running.catch(() => undefined);
    while (!done && how.goesOn()) await delay(clock, POLL_MS);
    ending.abort();
    await running;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    events.record(how.pod, { type: 'Warning', reason: 'FailedPreStopHook', message });
  }
}
