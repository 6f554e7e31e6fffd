import { ROUTES } from '@berth/core/api';
import { SHELL_PROTOCOL } from '@berth/core/shell';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { currentAccess } from '../http/current-access.ts';
import { createSockets } from '../http/sockets.ts';
import type { Access } from '../live/access-check.ts';
import type { Logger } from '../logger.ts';
import { PEER_SHELLS_PATH } from './peer-link.ts';
import type { PeerTicket } from './peer-ticket.ts';
import type { ShellPeers } from './shell-peers.ts';
import type { Shells } from './shells.ts';

export interface PeerShellsDeps {
  database: Database;
  clock: Clock;
  logger: Logger;
  teamOfDeployment(id: string): Promise<string | undefined>;
  shells: Shells;
  peers: ShellPeers;
}

/**
 * The internal address at which other servers take clients to the shells that this one holds. A ticket stands for what they checked;
 * whether its person may still have the shell is asked here again, and again while it is open.
 */
export function mountPeerShells(app: FastifyInstance, deps: PeerShellsDeps): void {
  const { shells, peers, logger } = deps;
  const sockets = createSockets(app);

  function accessOf({ userId, authentication }: PeerTicket, deploymentId: string): Promise<Access> {
    const raw = { params: { id: deploymentId }, query: {}, body: undefined };
    return currentAccess(deps, { userId, authentication }, { route: ROUTES.openShell, raw });
  }

  app.get(PEER_SHELLS_PATH, async (request, reply) => {
    const text = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1];
    const ticket = text === undefined ? undefined : peers.openTicket(text);
    if (!ticket) return reply.code(401).send({ error: 'the ticket is missing or not good' });
    // One for another start is for shells that ended with it.
    const held = ticket.holder === peers.holder ? shells.find(ticket) : undefined;
    if (!held) return reply.code(404).send({ error: 'there is no such shell' });
    const access = () => accessOf(ticket, held.deploymentId);
    if ((await access()) !== 'granted') return reply.code(403).send({ error: 'this person may not have it' });
    const open = sockets.admit(request, reply, { userId: ticket.userId, protocol: SHELL_PROTOCOL });
    reply.hijack();
    const log = logger.child({ requestId: ticket.requestId });
    held.join(await open(), { access, log, offset: ticket.offset });
    log.debug({ shell: ticket.shell }, 'another server brought a client to its shell');
    return reply;
  });
}
