import { isIP } from 'node:net';
import { SHELL_PROTOCOL } from '@berth/core/shell';
import { WebSocket } from 'ws';
import type { PeerSettings } from './shell-peers.ts';

export const PEER_SHELLS_PATH = '/internal/shells';

/** The holder answered, and it was no. */
export class PeerRefusal extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`the server that holds the shell answered ${status}`);
    this.name = 'PeerRefusal';
    this.status = status;
  }
}

const HANDSHAKE_TIMEOUT_MS = 4_000;
const PING_EVERY_MS = 10_000;
/** As large as what a pod may put into one message. */
const LARGEST_MESSAGE_BYTES = 4 * 2 ** 20;

/** Opens a shell at the server that holds it. */
export function openPeerLink(
  { authority, serverName }: Pick<PeerSettings, 'authority' | 'serverName'>,
  holderUrl: string,
  ticket: string,
): Promise<WebSocket> {
  const link = new WebSocket(`${holderUrl.replace(/^http/, 'ws')}${PEER_SHELLS_PATH}`, [SHELL_PROTOCOL], {
    headers: { authorization: `Bearer ${ticket}` },
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    maxPayload: LARGEST_MESSAGE_BYTES,
    perMessageDeflate: false,
    ca: authority,
    // It is reached by the address of its pod, which no certificate is for.
    ...(isIP(serverName) === 0 && { servername: serverName }),
  });
  return new Promise((resolve, reject) => {
    link.once('open', () => {
      link.off('error', reject);
      // What is wrong shows in `close`, which always follows.
      link.on('error', () => undefined);
      cutWhenSilent(link);
      resolve(link);
    });
    link.once('unexpected-response', (request, response) => {
      reject(new PeerRefusal(response.statusCode ?? 0));
      request.destroy();
    });
    link.once('error', reject);
  });
}

/** A machine that is switched off closes nothing. */
function cutWhenSilent(link: WebSocket): void {
  let answered = true;
  link.on('pong', () => {
    answered = true;
  });
  const pings = setInterval(() => {
    if (!answered && !link.isPaused) return link.terminate();
    answered = false;
    link.ping();
  }, PING_EVERY_MS);
  pings.unref();
  link.once('close', () => clearInterval(pings));
}
