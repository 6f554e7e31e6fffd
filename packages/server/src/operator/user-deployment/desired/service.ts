import { serviceObjectName } from '@berth/core/names';
import type { Service } from '@berth/core/service';
import { SERVICE } from '@berth/kube/schema/resources';
import { type Child, makeChild, type Owner, selectorLabels } from './child.ts';

/** The name under which other services reach this one; a service without ports is reached by nobody. */
export function serviceOf(owner: Owner, service: Service): Child | undefined {
  if (!service.ports?.length) return undefined;
  return makeChild(owner, SERVICE, {
    name: serviceObjectName(owner.name, service.name),
    service: service.name,
    body: {
      spec: {
        type: 'ClusterIP',
        selector: selectorLabels(owner, service.name),
        ports: service.ports.map(({ name, port }) => ({ name, port, targetPort: name, protocol: 'TCP' })),
      },
    },
  });
}
