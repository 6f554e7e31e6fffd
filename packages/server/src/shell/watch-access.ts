import { SOCKET_CLOSE } from '@berth/core/shell';
import { type Clock, delay } from '@berth/kube/client/clock';
import type { WebSocket } from 'ws';
import type { Access } from '../live/access-check.ts';

const LOOK_EVERY_MS = 3_000;
/** A database that is away for a moment cuts nobody off; one that stays away leaves nobody in unchecked. */
const UNCHECKED_MS = 30_000;

const REFUSALS = {
  signed_out: { code: SOCKET_CLOSE.signedOut, reason: 'You are signed out.' },
  access_removed: { code: SOCKET_CLOSE.accessRemoved, reason: 'Your role does not allow this any more.' },
  unknown: {
    code: SOCKET_CLOSE.unavailable,
    reason: 'Whether you may still do this cannot be checked at this moment.',
  },
} as const;
export type Refusal = (typeof REFUSALS)[keyof typeof REFUSALS];

/** Asks again and again while a socket is open whether it may be; calls back once when it may not. */
export async function watchAccess(
  socket: WebSocket,
  { access, timer, refuse }: { access: () => Promise<Access>; timer: Clock; refuse: (why: Refusal) => void },
): Promise<void> {
  const closed = new AbortController();
  socket.once('close', () => closed.abort());
  let grantedAt = timer.monotonic();
  while (socket.readyState === socket.OPEN) {
    await delay(timer, LOOK_EVERY_MS, closed.signal);
    if (closed.signal.aborted) return;
    // It throws when the database does not answer, which says nothing about the rights.
    const now = await access().catch(() => undefined);
    if (now === 'granted') grantedAt = timer.monotonic();
    else if (now !== undefined) return refuse(REFUSALS[now]);
    else if (timer.monotonic() - grantedAt > UNCHECKED_MS) return refuse(REFUSALS.unknown);
  }
}
