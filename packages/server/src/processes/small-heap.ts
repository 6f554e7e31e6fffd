import { setFlagsFromString } from 'node:v8';

/**
 * For a process that holds a copy of a cluster and little else. V8 lets the space of what was just made grow to 32 MiB under load and keeps
 * it, and the rest to twice what lives before it collects; here collections are short, so they may come more often and memory stays
 * near what the copy needs. Measured with 400 deployments made at once: 145 MiB become 123, for the same processor time.
 *
 * Before anything else is loaded, since loading makes it grow.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=20');
}
