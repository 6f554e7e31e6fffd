import type { WebSocket } from 'ws';
import { holderFailure, passOn } from './pass-on.ts';
import type { ShellPlaceRow } from './shell-places.ts';
import type { ShellContext, ShellDeps } from './shells.ts';
import { closeSocket } from './socket-copy.ts';
import { watchAccess } from './watch-access.ts';

/** Another server holds the shell: everything goes through to there, and both see to the rights. */
export async function visitElsewhere(
  { peers, timer }: Pick<ShellDeps, 'peers' | 'timer'>,
  socket: WebSocket,
  { context, place }: { context: ShellContext; place: ShellPlaceRow },
): Promise<void> {
  const { actor, request, query, access } = context;
  // What the client sends waits for the holder.
  socket.pause();
  let link: WebSocket | undefined;
  try {
    const { userId, authentication } = actor;
    link = await peers?.connect(place, { userId, authentication, offset: query.offset ?? 0, requestId: request.id });
  } catch (err) {
    const { code, reason, gone } = holderFailure(err);
    request.log.info({ err, holder: place.holderUrl, gone }, 'the holder of a shell was not reached');
    if (gone) await peers?.forget(place.id);
    closeSocket(socket, code, reason);
  }
  if (!link) return;
  const refuse = passOn(socket, link);
  socket.resume();
  await watchAccess(socket, { access, timer, refuse });
}
