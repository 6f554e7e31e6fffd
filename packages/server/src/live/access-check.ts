import type { Clock } from '@berth/kube/client/clock';

export type Access = 'granted' | 'signed_out' | 'access_removed';

/** However often data goes out, the database is asked at most once in this time. */
const TRUSTED_MS = 1_000;

/** Remembers for a moment that access was granted. A refusal is final. */
export function createAccessCheck(ask: () => Promise<Access>, clock: Clock): () => Promise<Access> {
  let last: Access = 'granted';
  let askedAt = clock.monotonic();
  return async () => {
    if (last === 'granted' && clock.monotonic() - askedAt >= TRUSTED_MS) {
      last = await ask();
      askedAt = clock.monotonic();
    }
    return last;
  };
}
