import { apiVersionOf, type KubeObject } from '@berth/kube/schema/object';
import type { ExternalSecret } from '../../kubernetes/external-secret.ts';
import { EXTERNAL_SECRET } from '../../kubernetes/resource-types.ts';
import type { Secret, SecretFacts } from '../kinds.ts';
import { sha256 } from '../sha256.ts';

/** What External Secrets puts on its own Secrets too: how a change by hand is noticed. */
export const DATA_HASH_ANNOTATION = 'reconcile.external-secrets.io/data-hash';
const MANAGED_LABEL = 'reconcile.external-secrets.io/managed';

export function secretNameOf({ metadata, spec }: ExternalSecret): string {
  return spec.target?.name ?? metadata.name;
}

/** The Secret that one ExternalSecret wants, of values read from the store. It goes when the ExternalSecret goes. */
export function deliveredSecret(externalSecret: ExternalSecret, values: ReadonlyMap<string, string>): Secret {
  const { metadata, spec } = externalSecret;
  const template = spec.target?.template;
  const data = Object.fromEntries(
    [...values].map(([key, value]) => [key, Buffer.from(value, 'utf8').toString('base64')]),
  );
  const hashes = Object.fromEntries(Object.entries(data).map(([key, value]) => [key, sha256(value)]));
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: secretNameOf(externalSecret),
      namespace: metadata.namespace ?? '',
      labels: { ...template?.metadata?.labels, [MANAGED_LABEL]: 'true' },
      annotations: { ...template?.metadata?.annotations, [DATA_HASH_ANNOTATION]: dataHash(hashes) },
      ownerReferences: [
        {
          apiVersion: apiVersionOf(EXTERNAL_SECRET),
          kind: EXTERNAL_SECRET.kind,
          name: metadata.name,
          uid: metadata.uid ?? '',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    type: template?.type ?? 'Opaque',
    data,
  };
}

/** Of the hashes of the values, so that it can be compared without the values. */
export function dataHash(hashes: Record<string, string>): string {
  return sha256(JSON.stringify(Object.entries(hashes).sort(([a], [b]) => (a < b ? -1 : 1))));
}

/** Is the Secret whole: ours, with the template's marks, and its data what was delivered? */
export function isIntact(secret: SecretFacts, externalSecret: ExternalSecret): boolean {
  const { annotations = {}, labels = {} } = secret.metadata;
  const template = externalSecret.spec.target?.template?.metadata;
  const carries = (have: Record<string, string>, want: Record<string, string> = {}) =>
    Object.entries(want).every(([key, value]) => have[key] === value);
  return (
    isOwnedBy(secret, externalSecret) &&
    carries(annotations, template?.annotations) &&
    carries(labels, template?.labels) &&
    annotations[DATA_HASH_ANNOTATION] === dataHash(secret.hashes)
  );
}

export function isOwnedBy(secret: KubeObject, externalSecret: ExternalSecret): boolean {
  return secret.metadata.ownerReferences?.some(({ uid }) => uid === externalSecret.metadata.uid) === true;
}
