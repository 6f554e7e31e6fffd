import { setFlagsFromString } from 'node:v8';

/**
 * V8 lets the space of what was just made grow to 32 MiB under load and keeps it. A process that mostly holds a copy of a cluster has
 * little that is young: its collections stay short with the space it begins with, and its memory stays what the copy needs.
 * Before anything else is loaded, since loading makes it grow.
 */
export function keepYoungGenerationSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}
