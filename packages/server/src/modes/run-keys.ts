import { randomBytes } from 'node:crypto';
import { createKubeClient } from '@berth/kube/client/http-client';
import type { Settings } from '../configuration/environment.ts';
import type { KEYS_VARIABLES } from '../configuration/process-settings.ts';
import { makeInternalCertificate } from '../up/certificates.ts';
import { loadCluster } from './load-cluster.ts';
import { makeMissingSecret, type NewSecret } from './missing-secret.ts';

type KeysSettings = Settings<typeof KEYS_VARIABLES>;

/** Where a kubeconfig says none. */
const DEFAULT_NAMESPACE = 'default';
const PASSWORD_BYTES = 24;

/**
 * Makes the Secrets that an installation needs and does not have, and never changes one: so an upgrade, a repetition or a tool that renders
 * the chart anew leaves every key as it is. It needs the right to create Secrets in its own namespace and no other.
 */
export async function runKeys(settings: KeysSettings, say: (sentence: string) => void): Promise<void> {
  const config = await loadCluster(settings);
  const client = createKubeClient(config);
  try {
    const namespace = config.namespace ?? DEFAULT_NAMESPACE;
    for (const secret of await wantedSecrets(settings, new Date())) {
      const made = await makeMissingSecret(client, { ...secret, namespace });
      say(`Secret ${namespace}/${secret.name} ${made ? 'was made' : 'is there already and stays as it is'}`);
    }
  } finally {
    await client.close();
  }
}

export async function wantedSecrets(settings: KeysSettings, now: Date): Promise<NewSecret[]> {
  const { authority, certificate, key } = await makeInternalCertificate(now, settings.internalNames);
  const keys = {
    name: settings.secret,
    values: {
      'master-key': randomBytes(32).toString('base64'),
      'internal-ca.crt': authority,
      'internal.crt': certificate,
      'internal.key': key,
      'admin-password': newPassword(),
    },
  };
  if (settings.databaseSecret === undefined) return [keys];
  const password = newPassword();
  const url = `postgres://berth:${password}@${settings.databaseHost}:5432/berth`;
  return [keys, { name: settings.databaseSecret, values: { password, url } }];
}

/** Of letters, digits, `-` and `_`: as it is, it stands in an address too. */
function newPassword(): string {
  return randomBytes(PASSWORD_BYTES).toString('base64url');
}
