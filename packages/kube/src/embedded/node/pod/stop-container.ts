import { delay } from '../../../client/clock.ts';
import type { Pod } from '../../../schema/kinds/pod.ts';
import type { PodContainer } from './pod-container.ts';
import { declaredContainers, launchOf, type PodScene } from './pod-scene.ts';

/** After SIGKILL only a process that hangs in the kernel is still there. */
const KILL_WAIT_MS = 10_000;
const POLL_MS = 20;

/** preStop, SIGTERM, the grace period, SIGKILL. The grace is asked for each time: a second delete may shorten it. */
export async function stopContainer(
  scene: PodScene,
  one: PodContainer,
  how: { pod: Pod; grace: () => number },
): Promise<void> {
  if (!one.process.isRunning()) return;
  const { clock, events } = scene.context;
  const attempt = one.process.record()?.attempt;
  const isUp = (): boolean => one.process.isRunning() && one.process.record()?.attempt === attempt;
  const began = clock.monotonic();
  const isWithin = (extraMs: number): boolean => clock.monotonic() - began < how.grace() * 1000 + extraMs;
  events.record(how.pod, { type: 'Normal', reason: 'Killing', message: `Stopping container ${one.name}` });
  await runPreStop(scene, one, how);
  if (isUp()) one.process.signal('SIGTERM');
  while (isUp() && isWithin(0)) await delay(clock, POLL_MS);
  if (isUp()) one.process.signal('SIGKILL');
  while (isUp() && isWithin(KILL_WAIT_MS)) await delay(clock, POLL_MS);
  if (isUp()) throw new Error(`container ${one.name} of pod ${how.pod.metadata.name} does not end`);
}

async function runPreStop(scene: PodScene, one: PodContainer, how: { pod: Pod; grace: () => number }): Promise<void> {
  const container = declaredContainers(how.pod).find(({ name }) => name === one.name);
  if (!container?.lifecycle?.preStop || how.grace() === 0) return;
  try {
    const place = { podIP: how.pod.status?.podIP ?? '', listenPorts: {}, volumes: new Map<string, string>() };
    const launch = launchOf(scene, container, { pod: how.pod, place });
    await one.runHook({ container, ...place, address: place.podIP, launch }, 'preStop', how.grace() * 1000);
  } catch (error) {
    scene.context.events.record(how.pod, { type: 'Warning', reason: 'FailedPreStopHook', message: String(error) });
  }
}
