import { Gauge, type Registry } from 'prom-client';
import type { PooledDatabase } from '../db/database.ts';

/** The connections of the pool, under the names of OpenTelemetry's conventions: all used and somebody waiting means that it is too small. */
export function countConnections(registry: Registry, database: Pick<PooledDatabase, 'pool'>): void {
  new Gauge({
    name: 'db_client_connection_count',
    help: 'Connections to the database by what they do.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { open, idle } = database.pool();
      this.set({ state: 'idle' }, idle);
      this.set({ state: 'used' }, open - idle);
    },
  });
  new Gauge({
    name: 'db_client_connection_max',
    help: 'Connections to the database that may be open.',
    registers: [registry],
    collect() {
      this.set(database.pool().most);
    },
  });
  new Gauge({
    name: 'db_client_connection_pending_requests',
    help: 'Who waits for a connection to the database.',
    registers: [registry],
    collect() {
      this.set(database.pool().waiting);
    },
  });
}
