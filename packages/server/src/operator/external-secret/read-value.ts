import { Agent, type Dispatcher, request } from 'undici';
import type { ExternalSecretData } from '../../kubernetes/external-secret.ts';
import type { WebhookProvider } from '../../kubernetes/secret-store.ts';
import { DeliveryError } from './delivery-error.ts';
import { parseDuration } from './go-duration.ts';
import { escapeData, expandTemplate, type TemplateData } from './go-template.ts';

/** A store as it is asked: its provider, the credentials that its templates name, and the CA it is trusted by. */
export interface OpenStore {
  provider: WebhookProvider;
  credentials: TemplateData;
  ca: string | undefined;
}

/** Connections, one pool a CA. */
export interface StoreConnections {
  for(ca: string | undefined): Dispatcher;
  close(): Promise<void>;
}

const TIMEOUT_MS = 10_000;
/** A Secret holds 1 MiB; JSON may escape every byte of it. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/** Reads one value, byte for byte. Any failure is a DeliveryError with words for people; no value is ever in them. */
export async function readValue(
  store: OpenStore,
  { remoteRef }: ExternalSecretData,
  { connections, signal }: { connections: StoreConnections; signal: AbortSignal },
): Promise<string> {
  const { provider } = store;
  const { key, property = '', version = '' } = remoteRef;
  const data: TemplateData = { ...store.credentials, remoteRef: { key, property, version } };
  const url = expand(provider.url, escapeData(data));
  if (!url.startsWith('https://')) throw new DeliveryError(`the store's address must begin with https://, not ${url}`);
  const headers = Object.fromEntries(
    Object.entries(provider.headers ?? {}).map(([name, value]) => [name, expand(value, data)]),
  );
  const timeoutMs = parseDuration(provider.timeout ?? '') || TIMEOUT_MS;
  const answer = await send({ url, headers, provider, data, timeoutMs, dispatcher: connections.for(store.ca), signal });
  if (answer.status === 404) throw new DeliveryError(`there is no secret "${key}" in the store`);
  if (answer.status === 401 || answer.status === 403) {
    throw new DeliveryError(`the store refuses the namespace's credential for "${key}" (status ${answer.status})`);
  }
  if (answer.status >= 300) {
    throw new DeliveryError(`the store answered ${answer.status} for "${key}"`, { temporary: answer.status >= 500 });
  }
  return pick(answer.text, provider.result.jsonPath, key);
}

interface StoreRequest {
  url: string;
  headers: Record<string, string>;
  provider: WebhookProvider;
  data: TemplateData;
  timeoutMs: number;
  dispatcher: Dispatcher;
  signal: AbortSignal;
}

async function send(call: StoreRequest): Promise<{ status: number; text: string }> {
  const { url, headers, provider, data, timeoutMs, dispatcher } = call;
  try {
    const { statusCode, body } = await request(url, {
      method: (provider.method ?? 'GET') as Dispatcher.HttpMethod,
      headers,
      ...(provider.body !== undefined && { body: expand(provider.body, data) }),
      dispatcher,
      signal: AbortSignal.any([call.signal, AbortSignal.timeout(timeoutMs)]),
    });
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > MAX_ANSWER_BYTES) throw new Error(`its answer is longer than ${MAX_ANSWER_BYTES} bytes`);
      chunks.push(chunk);
    }
    return { status: statusCode, text: Buffer.concat(chunks).toString('utf8') };
  } catch (error) {
    call.signal.throwIfAborted();
    const { origin } = new URL(url);
    const why = error instanceof Error ? error.message : String(error);
    throw new DeliveryError(`the store at ${origin} cannot be reached: ${why}`, { temporary: true, cause: error });
  }
}

/** `$.value` and the like; without a path the whole answer is the value. */
function pick(text: string, jsonPath: string | undefined, key: string): string {
  if (jsonPath === undefined || jsonPath === '') return text;
  const path = /^\$((?:\.[A-Za-z_][\w-]*)*)$/.exec(jsonPath)?.[1];
  if (path === undefined) throw new DeliveryError(`the store's result.jsonPath "${jsonPath}" is not of the form $.a.b`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's message would quote the answer, and with it the secret.
    throw new DeliveryError(`the store's answer for "${key}" is not JSON`);
  }
  for (const field of path.split('.').slice(1)) {
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[field] : undefined;
  }
  if (typeof value !== 'string') throw new DeliveryError(`the store's answer for "${key}" has no text at ${jsonPath}`);
  return value;
}

function expand(text: string, data: TemplateData): string {
  try {
    return expandTemplate(text, data);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new DeliveryError(`the store's template is not right: ${why}`, { cause: error });
  }
}

export function createStoreConnections(): StoreConnections {
  const agents = new Map<string, Agent>();
  return {
    for(ca) {
      const found = agents.get(ca ?? '');
      if (found) return found;
      const agent = new Agent({ connect: ca === undefined ? {} : { ca }, connections: 8 });
      agents.set(ca ?? '', agent);
      return agent;
    },
    async close() {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()));
      agents.clear();
    },
  };
}
