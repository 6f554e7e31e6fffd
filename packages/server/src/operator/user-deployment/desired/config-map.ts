import { filesObjectName } from '@berth/core/names';
import { CONFIG_MAP } from '@berth/kube/schema/resources';
import { type Child, makeChild, type Owner } from './child.ts';
import { filesHash, literalFiles } from './files.ts';
import type { Workload } from './workload.ts';

/**
 * The literal files of a service or job, under a name that changes with them: a pod of the version before finds its own when
 * its container starts again.
 */
export function configMapOf(owner: Owner, workload: Workload): Child | undefined {
  const files = literalFiles(workload);
  const hash = filesHash(workload);
  if (hash === undefined) return undefined;
  return makeChild(owner, CONFIG_MAP, {
    name: filesObjectName(owner.name, workload.name, hash),
    service: workload.name,
    body: { data: Object.fromEntries(files.map(({ key, content }) => [key, content])) },
  });
}
