import type { FastifyInstance } from 'fastify';
import type { Handlers } from '../http/handler.ts';
import type { Logger } from '../logger.ts';
import { forwardPort } from './forward-port.ts';
import { createGuests } from './guests.ts';
import { mountPeerShells } from './peer-shells.ts';
import { createShells, type ShellDeps } from './shells.ts';

export type ShellRouteName = 'openShell' | 'forwardPort';

export interface ShellRoutes {
  handlers: Handlers<ShellRouteName>;
  /** Where other servers bring clients to the shells of this one; nowhere when it is the only one. */
  mountPeers(internal: FastifyInstance): void;
  /** Lets what is open go on for so long, having said so, and then ends it. */
  drain(milliseconds: number): Promise<void>;
  stop(): Promise<void>;
}

export interface ShellRoutesDeps extends Omit<ShellDeps, 'guests'> {
  logger: Logger;
  teamOfDeployment(id: string): Promise<string | undefined>;
}

export function shellRoutes(given: ShellRoutesDeps): ShellRoutes {
  const guests = createGuests(given.timer);
  const deps = { ...given, guests };
  const shells = createShells(deps);
  return {
    handlers: { openShell: shells.open, forwardPort: (context) => forwardPort(deps, context) },
    mountPeers(internal) {
      if (deps.peers) mountPeerShells(internal, { ...deps, shells, peers: deps.peers });
    },
    async drain(milliseconds) {
      if (milliseconds > 0) {
        shells.announceEnd(milliseconds);
        await guests.allGone(milliseconds);
      }
      await shells.stop();
    },
    stop: shells.stop,
  };
}
