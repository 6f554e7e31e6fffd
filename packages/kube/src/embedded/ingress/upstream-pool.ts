import { Agent } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Endpoint } from './endpoints.ts';

/**
 * Connections to pods that are kept between requests. To a pod that takes no new requests none is kept: it may close them at any
 * moment, and its address may be another's soon.
 */
export interface UpstreamPool {
  agent: Agent;
  /** Which of the pods behind a Service take new requests, and which of those that did no longer do. */
  follow(change: { serving: readonly Endpoint[]; left: readonly Endpoint[] }): void;
  destroy(): void;
}

const FREE_MS = 4_000;
const MOST_FREE = 16;

export function createUpstreamPool(): UpstreamPool {
  const left = new Set<string>();
  const agent = new PoolAgent((endpoint) => !left.has(nameOf(endpoint)));
  return {
    agent,
    follow(change) {
      for (const endpoint of change.serving) left.delete(nameOf(endpoint));
      for (const endpoint of change.left) {
        left.add(nameOf(endpoint));
        for (const socket of agent.freeSockets[agent.getName(endpoint)] ?? []) socket.destroy();
      }
    },
    destroy: () => agent.destroy(),
  };
}

function nameOf({ host, port }: Endpoint): string {
  return `${host}:${port}`;
}

class PoolAgent extends Agent {
  readonly #mayKeep: (endpoint: Endpoint) => boolean;

  constructor(mayKeep: (endpoint: Endpoint) => boolean) {
    super({ keepAlive: true, maxFreeSockets: MOST_FREE, timeout: FREE_MS });
    this.#mayKeep = mayKeep;
  }

  /** Asked when a request is over whose pod left meanwhile; false closes the connection. */
  override keepSocketAlive(socket: Duplex): boolean {
    const { remoteAddress = '', remotePort = 0 } = socket as Socket;
    if (!this.#mayKeep({ host: remoteAddress, port: remotePort })) return false;
    return super.keepSocketAlive(socket) as unknown as boolean;
  }
}
