import type { KubeClient } from '@berth/kube/client/client';
import type { KubeObject } from '@berth/kube/schema/object';
import { CONFIG_MAP, SECRET } from '@berth/kube/schema/resources';
import { isKubeError } from '@berth/kube/schema/status';
import type { SecretStoreResource, WebhookProvider } from '../../kubernetes/secret-store.ts';
import type { Secret } from '../kinds.ts';
import { DeliveryError } from './delivery-error.ts';
import type { TemplateData } from './go-template.ts';
import type { OpenStore } from './read-value.ts';

/** External Secrets sends only Secrets with this label to a webhook; so do we. */
const SENDABLE_LABEL = 'external-secrets.io/type';
const SENDABLE_VALUE = 'webhook';
const CA_KEY = 'ca.crt';

/** Gets the credentials and the CA that a store names. They are of the store's own namespace, whatever it says. */
export async function openStore(store: SecretStoreResource, client: Pick<KubeClient, 'get'>): Promise<OpenStore> {
  const { name, namespace = '' } = store.metadata;
  const provider = store.spec.provider.webhook;
  if (!provider)
    throw new DeliveryError(`SecretStore ${name} is not of the webhook kind, which is all that is built in`);
  const credentials: TemplateData = {};
  for (const { name: alias, secretRef } of provider.secrets ?? []) {
    credentials[alias] = await credentialOf(client, { name: secretRef.name ?? '', namespace });
  }
  return { provider, credentials, ca: await authorityOf(provider, namespace, client) };
}

async function credentialOf(
  client: Pick<KubeClient, 'get'>,
  at: { name: string; namespace: string },
): Promise<Record<string, string>> {
  const secret = await find<Secret>(client, { type: SECRET, ...at });
  if (!secret) throw new DeliveryError(`Secret ${at.name} with the namespace's credential is missing`);
  if (secret.metadata.labels?.[SENDABLE_LABEL] !== SENDABLE_VALUE) {
    throw new DeliveryError(`Secret ${at.name} must carry the label ${SENDABLE_LABEL}: ${SENDABLE_VALUE} to be sent`);
  }
  return Object.fromEntries(Object.entries(secret.data ?? {}).map(([key, value]) => [key, decode(value)]));
}

async function authorityOf(
  { caBundle, caProvider }: WebhookProvider,
  namespace: string,
  client: Pick<KubeClient, 'get'>,
): Promise<string | undefined> {
  if (caBundle !== undefined && caBundle !== '') return decode(caBundle);
  if (!caProvider) return undefined;
  const { type, name, key = CA_KEY } = caProvider;
  const source = await find<Secret>(client, { type: type === 'Secret' ? SECRET : CONFIG_MAP, name, namespace });
  const value = source?.data?.[key];
  if (value === undefined) throw new DeliveryError(`${type} ${name} has no "${key}" with the store's authority`);
  return type === 'Secret' ? decode(value) : value;
}

async function find<T extends KubeObject>(
  client: Pick<KubeClient, 'get'>,
  { type, name, namespace }: { type: typeof SECRET; name: string; namespace: string },
): Promise<T | undefined> {
  try {
    return await client.get<T>(type, { name, namespace });
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return undefined;
    throw error;
  }
}

function decode(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8');
}
