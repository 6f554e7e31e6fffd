import type { DeploymentRemoval } from '@berth/core/deployment';
import { formatBytes, quantity } from '@berth/core/quantity';
import { addressesOf } from './addresses.ts';
import type { DeploymentView } from './deployment-row.ts';

/** What a delete takes with it, in the order of what people would miss most. */
export function removalOf(row: DeploymentView, revisions: number): DeploymentRemoval {
  const items: DeploymentRemoval['items'] = [];
  for (const service of row.spec.services) {
    for (const { name, size } of service.volumes ?? []) {
      items.push({
        kind: 'volume',
        name,
        detail: `Up to ${formatBytes(quantity(size))} that ${service.name} has stored. It cannot be brought back.`,
      });
    }
  }
  for (const service of row.spec.services) {
    const pods = service.replicas ?? 1;
    items.push({
      kind: 'service',
      name: service.name,
      detail: `${pods === 1 ? 'One pod' : `${pods} pods`} of ${service.image}.`,
    });
  }
  for (const key of row.secretKeys) {
    items.push({ kind: 'secret', name: key, detail: 'Its value. Berth keeps no copy.' });
  }
  for (const { host } of addressesOf(row)) {
    items.push({ kind: 'address', name: host, detail: 'It stops answering, and others may take it.' });
  }
  const count = revisions === 1 ? 'One revision' : `${revisions} revisions`;
  items.push({ kind: 'history', name: row.name, detail: `${count} of this deployment. The audit log stays.` });
  return { items };
}
