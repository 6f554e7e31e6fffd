import { COME_BACK, SOCKET_CLOSE } from '@berth/core/shell';
import type { WebSocket } from 'ws';
import { PeerRefusal } from './peer-link.ts';
import { closeSocket, createSender } from './socket-copy.ts';
import type { Refusal } from './watch-access.ts';

const NORMAL = 1000;
const OWN_CODES = 4000;
/** Nobody listens there any more: the process has ended, and its shells with it. */
const NOBODY_THERE = new Set(['ECONNREFUSED', 'ENOTFOUND']);

export const HOLDER_GONE = 'The server that held this shell has stopped, and the shell with it.';

/** Copies between a client and the server that holds its shell, until either closes. The result cuts the client off. */
export function passOn(client: WebSocket, link: WebSocket): (why: Refusal) => void {
  link.on('message', createSender(client, link));
  client.on('message', createSender(link, client));
  link.once('close', (code, reason) => {
    const told = code === NORMAL || code >= OWN_CODES;
    // A holder that breaks off may only have lost its network: the client's next try tells.
    if (told) closeSocket(client, code, reason.toString());
    else closeSocket(client, COME_BACK, 'The connection to this shell broke off.');
  });
  const leave = (code?: number) => {
    // Without a code the holder keeps the shell for a while.
    if (code === NORMAL) closeSocket(link, NORMAL, '');
    else link.terminate();
  };
  client.once('close', leave);
  if (client.readyState === client.CLOSED) leave();
  return ({ code, reason }) => {
    client.off('close', leave);
    closeSocket(link, code, reason);
    closeSocket(client, code, reason);
  };
}

/** What a client is told whose shell's holder cannot be reached; `gone` when it never will. */
export function holderFailure(error: unknown): { code: number; reason: string; gone: boolean } {
  if (error instanceof PeerRefusal) {
    if (error.status === 404) return { code: SOCKET_CLOSE.gone, reason: HOLDER_GONE, gone: true };
    if (error.status === 401 || error.status === 403) {
      return { code: SOCKET_CLOSE.accessRemoved, reason: 'The server that holds this shell refused.', gone: false };
    }
  }
  const { code } = error as { code?: string };
  if (code !== undefined && NOBODY_THERE.has(code)) {
    return { code: SOCKET_CLOSE.gone, reason: HOLDER_GONE, gone: true };
  }
  return { code: COME_BACK, reason: 'The server that holds this shell does not answer at this moment.', gone: false };
}
