import { serviceObjectName } from '@berth/core/names';
import type { Service } from '@berth/core/service';
import { CONFIG_MAP } from '@berth/kube/schema/resources';
import { type Child, makeChild, type Owner } from './child.ts';
import { literalFiles } from './files.ts';

/** The literal files of a service. */
export function configMapOf(owner: Owner, service: Service): Child | undefined {
  const files = literalFiles(service);
  if (files.length === 0) return undefined;
  return makeChild(owner, CONFIG_MAP, {
    name: serviceObjectName(owner.name, service.name),
    service: service.name,
    body: { data: Object.fromEntries(files.map(({ key, content }) => [key, content])) },
  });
}
