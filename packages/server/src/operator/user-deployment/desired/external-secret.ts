import { serviceObjectName } from '@berth/core/names';
import type { Service } from '@berth/core/service';
import { ANNOTATIONS, SECRET_STORE_NAME } from '@berth/core/user-deployment';
import type { ExternalSecretSpec } from '../../../kubernetes/external-secret.ts';
import { EXTERNAL_SECRET } from '../../../kubernetes/resource-types.ts';
import { type Child, childLabels, makeChild, type Owner } from './child.ts';
import { usedSecretKeys } from './files.ts';

const REFRESH_INTERVAL = '1h';

/**
 * The secret keys that a service uses, and no others: a service sees no secret of its neighbours. The version goes into the
 * template, so that the Secret says which values it carries, and a new version changes the ExternalSecret, which is
 * what makes its controller read the store again.
 */
export function externalSecretOf(owner: Owner, service: Service, secretVersion: string | undefined): Child | undefined {
  const keys = usedSecretKeys(service);
  if (keys.length === 0) return undefined;
  const name = serviceObjectName(owner.name, service.name);
  const annotations: Record<string, string> =
    secretVersion === undefined ? {} : { [ANNOTATIONS.secretVersion]: secretVersion };
  const spec: ExternalSecretSpec = {
    refreshInterval: REFRESH_INTERVAL,
    secretStoreRef: { name: SECRET_STORE_NAME, kind: 'SecretStore' },
    target: {
      name,
      creationPolicy: 'Owner',
      template: { type: 'Opaque', metadata: { labels: childLabels(owner, service.name), annotations } },
    },
    data: keys.map((key) => ({ secretKey: key, remoteRef: { key: `${owner.name}/${key}` } })),
  };
  return makeChild(owner, EXTERNAL_SECRET, { name, service: service.name, annotations, body: { spec } });
}
