import type { KubeObject } from '@berth/kube/schema/object';

/** The parts of `external-secrets.io/v1` `SecretStore` that Berth uses: its webhook provider. */
export interface SecretStoreResource extends KubeObject {
  spec: { provider: { webhook?: WebhookProvider }; refreshInterval?: number };
  status?: { conditions?: { type: string; status: string; reason?: string; message?: string }[] };
}

/**
 * Reads one value by one request. `url`, `headers` and `body` are Go templates over `remoteRef.key` (escaped for a
 * query where it stands in the URL) and the keys of each Secret in `secrets` by the name given there.
 */
export interface WebhookProvider {
  url: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  timeout?: string;
  result: { jsonPath?: string };
  /** PEM in base64. */
  caBundle?: string;
  caProvider?: { type: 'Secret' | 'ConfigMap'; name: string; key?: string; namespace?: string };
  secrets?: { name: string; secretRef: { name?: string; key?: string; namespace?: string } }[];
}
