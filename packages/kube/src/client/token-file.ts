import { readFile } from 'node:fs/promises';
import type { CredentialSource } from './client.ts';
import type { Clock } from './clock.ts';

/** The kubelet replaces the file long before the token in it ends. */
const READ_AGAIN_AFTER_MS = 60_000;

/** A bearer token in a file that somebody else renews. While the file cannot be read, the last token goes on. */
export function createTokenFile(path: string, clock: Clock): CredentialSource {
  let token: string | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  return {
    async current() {
      if (token !== undefined && clock.monotonic() - readAt < READ_AGAIN_AFTER_MS) return { token };
      try {
        token = (await readFile(path, 'utf8')).trim();
        readAt = clock.monotonic();
      } catch (error) {
        if (token === undefined) throw error;
      }
      return { token };
    },
    invalidate() {
      readAt = Number.NEGATIVE_INFINITY;
    },
  };
}
