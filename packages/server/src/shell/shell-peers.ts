import type { NewId } from '@berth/core/ids';
import { delay, type Clock as Timer } from '@berth/kube/client/clock';
import type { WebSocket } from 'ws';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import type { Logger } from '../logger.ts';
import type { MasterKeys } from '../secret/master-keys.ts';
import { openPeerLink } from './peer-link.ts';
import { openTicket, type PeerTicket, sealTicket } from './peer-ticket.ts';
import {
  claimPlace,
  findPlace,
  forgetPlace,
  MARK_EVERY_MS,
  markPlaces,
  type ShellName,
  type ShellPlaceRow,
} from './shell-places.ts';

/** What a server of several does so that a shell is found whichever of them its client reaches. */
export interface ShellPeers {
  /** This start of this server. */
  holder: string;
  /** Undefined when a shell that may still run has the name. */
  claim(name: ShellName): Promise<string | undefined>;
  /** Where another server holds it. */
  find(name: ShellName): Promise<ShellPlaceRow | undefined>;
  forget(id: string): Promise<void>;
  /** Rejects with a `PeerRefusal`, or with why there is no connection. */
  connect(place: ShellPlaceRow, ticket: Omit<PeerTicket, 'shell' | 'holder'>): Promise<WebSocket>;
  /** Undefined for whatever no server of ours made just now. */
  openTicket(text: string): PeerTicket | undefined;
  stop(): Promise<void>;
}

/** How servers reach each other. */
export interface PeerSettings {
  /** Of this one's internal endpoint. */
  url: string;
  /** Of the internal endpoints' certificates, in PEM, and a name that they are all for: pods have none of their own. */
  authority: string;
  serverName: string;
}

export interface ShellPeersDeps extends PeerSettings {
  database: Database;
  keys: MasterKeys;
  clock: Clock;
  timer: Timer;
  newId: NewId;
  logger: Logger;
}

export function createShellPeers(deps: ShellPeersDeps): ShellPeers {
  const { database, keys, clock, timer, newId, logger, url } = deps;
  const holder = newId();
  const held = new Set<string>();
  const stopping = new AbortController();
  let marking: Promise<void> | undefined;

  /** Only while there is anything to mark. */
  async function mark(): Promise<void> {
    while (held.size > 0 && !stopping.signal.aborted) {
      await delay(timer, MARK_EVERY_MS, stopping.signal);
      if (!stopping.signal.aborted)
        await markPlaces(database, holder).catch((err: unknown) => logger.warn({ err }, 'shells could not be marked'));
    }
    marking = undefined;
  }

  return {
    holder,
    async claim(name) {
      const id = newId();
      if (!(await claimPlace(database, name, { id, holder, holderUrl: url }))) return undefined;
      held.add(id);
      marking ??= mark();
      return id;
    },
    async find(name) {
      const place = await findPlace(database, name);
      return place?.holder === holder ? undefined : place;
    },
    async forget(id) {
      held.delete(id);
      await forgetPlace(database, id);
    },
    connect(place, ticket) {
      const { id: shell, holder: to } = place;
      return openPeerLink(deps, place.holderUrl, sealTicket(keys, { ...ticket, shell, holder: to }, clock()));
    },
    openTicket: (text) => openTicket(keys, text, clock()),
    async stop() {
      stopping.abort();
      await marking;
    },
  };
}
