import { serviceObjectName } from '@berth/core/names';
import type { Service } from '@berth/core/service';
import { SERVICE } from '@berth/kube/schema/resources';
import { type Child, makeChild, type Owner, selectorLabels } from './child.ts';

/**
 * The name under which other services reach this one; a service without ports is reached by nobody. While it is updated, ports
 * of the version before stay: its pods still answer there.
 */
export function serviceOf(owner: Owner, service: Service, before: Service | undefined): Child | undefined {
  const own = service.ports ?? [];
  const taken = own.flatMap(({ name, port }) => [name, port]);
  const left = (before?.ports ?? []).filter(({ name, port }) => !taken.includes(name) && !taken.includes(port));
  const ports = [...own, ...left];
  if (ports.length === 0) return undefined;
  return makeChild(owner, SERVICE, {
    name: serviceObjectName(owner.name, service.name),
    service: service.name,
    body: {
      spec: {
        type: 'ClusterIP',
        selector: selectorLabels(owner, service.name),
        ports: ports.map(({ name, port }) => ({ name, port, targetPort: name, protocol: 'TCP' })),
      },
    },
  });
}
