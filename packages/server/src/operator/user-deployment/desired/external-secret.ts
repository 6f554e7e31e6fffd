import { serviceObjectName } from '@berth/core/names';
import { ANNOTATIONS, SECRET_STORE_NAME } from '@berth/core/user-deployment';
import type { ExternalSecretSpec } from '../../../kubernetes/external-secret.ts';
import { EXTERNAL_SECRET } from '../../../kubernetes/resource-types.ts';
import { type Child, childLabels, makeChild, type Owner } from './child.ts';
import { usedSecretKeys } from './files.ts';
import type { Workload } from './workload.ts';

const REFRESH_INTERVAL = '1h';

/**
 * The secret keys that a service or job uses, and no others: it sees no secret of its neighbours. The version goes into the
 * template, so that the Secret says which values it carries, and a new version changes the ExternalSecret, which is
 * what makes its controller read the store again.
 *
 * Values are always the newest that the store has, whichever version of the deployment runs; while it is updated the keys that
 * only the version before uses stay, since its pods may start again.
 */
export function externalSecretOf(
  owner: Owner,
  workload: Workload,
  { before, secretVersion }: { before: Workload | undefined; secretVersion: string | undefined },
): Child | undefined {
  const keys = [...new Set([workload, before].flatMap((each) => (each ? usedSecretKeys(each) : [])))].sort();
  if (keys.length === 0) return undefined;
  const name = serviceObjectName(owner.name, workload.name);
  const annotations: Record<string, string> =
    secretVersion === undefined ? {} : { [ANNOTATIONS.secretVersion]: secretVersion };
  const spec: ExternalSecretSpec = {
    refreshInterval: REFRESH_INTERVAL,
    secretStoreRef: { name: SECRET_STORE_NAME, kind: 'SecretStore' },
    target: {
      name,
      creationPolicy: 'Owner',
      template: { type: 'Opaque', metadata: { labels: childLabels(owner, workload.name), annotations } },
    },
    data: keys.map((key) => ({ secretKey: key, remoteRef: { key: `${owner.name}/${key}` } })),
  };
  return makeChild(owner, EXTERNAL_SECRET, { name, service: workload.name, annotations, body: { spec } });
}
