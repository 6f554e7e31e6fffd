import type { KubeObject } from '@berth/kube/schema/object';

/** The parts of `external-secrets.io/v1` `ExternalSecret` that Berth uses: keys of a store become one Secret. */
export interface ExternalSecret extends KubeObject {
  spec: ExternalSecretSpec;
  status?: ExternalSecretStatus;
}

export interface ExternalSecretSpec {
  /** `0` reads once; else a Go duration such as `1h` or `30s`. */
  refreshInterval?: string;
  refreshPolicy?: 'CreatedOnce' | 'Periodic' | 'OnChange';
  secretStoreRef?: { name: string; kind?: 'SecretStore' | 'ClusterSecretStore' };
  target?: {
    /** The ExternalSecret's own name when absent. */
    name?: string;
    creationPolicy?: 'Owner' | 'Orphan' | 'Merge' | 'None';
    deletionPolicy?: 'Delete' | 'Merge' | 'Retain';
    immutable?: boolean;
    template?: {
      type?: string;
      metadata?: { annotations?: Record<string, string>; labels?: Record<string, string> };
    };
  };
  data?: ExternalSecretData[];
}

export interface ExternalSecretData {
  /** The key in the Secret. */
  secretKey: string;
  remoteRef: { key: string; property?: string; version?: string };
}

export interface ExternalSecretStatus {
  /** RFC 3339: when the store was last read. */
  refreshTime?: string;
  /** Changes with the ExternalSecret's own generation and metadata: what was last synced. */
  syncedResourceVersion?: string;
  conditions?: ExternalSecretCondition[];
  binding?: { name?: string };
}

/** `Ready` is true with reason `SecretSynced`, false with `SecretSyncedError`. */
export interface ExternalSecretCondition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
}
