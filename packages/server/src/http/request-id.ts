import type { IncomingMessage } from 'node:http';
import type { NewId } from '@berth/core/ids';
import type { Trust } from './trusted-proxies.ts';

/** Of every proxy that makes such ids, and nothing that could be taken for more than an id where it is shown. */
const WELL_FORMED = /^[A-Za-z0-9][A-Za-z0-9._=+/-]{7,127}$/;

/** The id that a proxy of ours gave to the request, so that its log and ours can be laid side by side; else one of our own. */
export function requestIds(newId: NewId, trust: Trust): (request: IncomingMessage) => string {
  return ({ headers, socket }) => {
    const given = headers['x-request-id'];
    const believed = typeof given === 'string' && WELL_FORMED.test(given) && trust(socket.remoteAddress ?? '');
    return believed ? given : newId();
  };
}
