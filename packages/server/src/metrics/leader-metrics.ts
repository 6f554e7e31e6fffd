import { Gauge, type Registry } from 'prom-client';

/** Under the name that Kubernetes' own programs use. */
export function watchLeadership(registry: Registry, isLeading: () => boolean): void {
  new Gauge({
    name: 'leader_election_master_status',
    help: 'Whether this process leads (1) or stands by (0).',
    labelNames: ['name'],
    registers: [registry],
    collect() {
      this.set({ name: 'berth-operator' }, isLeading() ? 1 : 0);
    },
  });
}
