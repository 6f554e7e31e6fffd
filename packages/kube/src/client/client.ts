import type { Duplex } from 'node:stream';
import type { KubeList, KubeObject, ResourceType, WatchEvent } from '../schema/object.ts';

/**
 * One Kubernetes API server, over HTTPS. Every failure is a `KubeError` with the server's own `Status`; a failure to
 * reach it is a `KubeError` with code 503 and reason `ServiceUnavailable`, its cause kept.
 */
export interface KubeClient {
  /** Base URL, for logs. */
  readonly server: string;
  get<T extends KubeObject>(type: ResourceType, at: ObjectAddress, options?: RequestOptions): Promise<T>;
  list<T extends KubeObject>(type: ResourceType, options?: ListOptions): Promise<KubeList<T>>;
  create<T extends KubeObject>(type: ResourceType, object: T, options?: WriteOptions): Promise<T>;
  /** PUT; `metadata.resourceVersion` in the object makes it conditional. */
  replace<T extends KubeObject>(type: ResourceType, object: T, options?: WriteOptions & Subresource): Promise<T>;
  patch<T extends KubeObject>(
    type: ResourceType,
    at: ObjectAddress,
    patch: KubePatch,
    options?: WriteOptions & Subresource,
  ): Promise<T>;
  /** Server-side apply. The field manager is required: whoever applies must have a name. */
  apply<T extends KubeObject>(
    type: ResourceType,
    object: T,
    options: WriteOptions & Subresource & { fieldManager: string; force?: boolean },
  ): Promise<T>;
  /** Resolves to the object as the server last saw it, or to undefined when it is gone already. */
  delete(type: ResourceType, at: ObjectAddress, options?: DeleteOptions): Promise<KubeObject | undefined>;
  /**
   * One watch connection. Ends when the server ends it; throws a `KubeError` when it breaks and when the server sends an
   * ERROR event, so no event of that type is seen here. Use a reflector to stay up to date.
   */
  watch<T extends KubeObject>(type: ResourceType, options: WatchOptions): AsyncIterable<WatchEvent<T>>;
  /**
   * A request outside the typed verbs: `/version`, pod logs, discovery. Any HTTP status is an answer, not an error. The
   * body must be read or its iteration ended, otherwise its connection stays taken.
   */
  raw(method: string, path: string, options?: RawOptions): Promise<RawResponse>;
  /** A WebSocket below the same server: `exec` and `portForward` are made of it. Rejects with the server's Status when it refuses. */
  socket(path: string, options: SocketOptions): Promise<KubeSocket>;
  /** Cuts what is open. */
  close(): Promise<void>;
}

/** How to reach one API server. `loadKubeConfig` makes one of a kubeconfig file or of a pod's service account. */
export interface KubeConfig {
  /** `https://host:port`, with a path when the API is served below one. */
  server: string;
  /** PEM. The system's authorities when absent. */
  ca?: string;
  insecureSkipTlsVerify?: boolean;
  /** Checked against the server's certificate instead of the host of `server`. */
  tlsServerName?: string;
  token?: string;
  /** PEM, both or neither. */
  clientCertificate?: string;
  clientKey?: string;
  /** Credentials that change while the client lives; they come before the fixed ones above. */
  credentials?: CredentialSource;
  /** The namespace the context names; the client itself never assumes one. */
  namespace?: string;
  /** For one whole request, its retries included; watches and raw bodies have no such end. 30 s when absent. */
  requestTimeoutMs?: number;
  userAgent?: string;
}

export interface Credentials {
  token?: string;
  clientCertificate?: string;
  clientKey?: string;
}

export interface CredentialSource {
  /** Asked before every request, so it answers from a cache. */
  current(): Promise<Credentials>;
  /** The server refused what `current` gave: the next call must get anew. */
  invalidate(): void;
}

export interface ObjectAddress {
  name: string;
  namespace?: string;
}

export interface RequestOptions {
  signal?: AbortSignal;
  /** Asked at the last moment before each attempt is sent, repetitions included; sends nothing when it throws. */
  permit?: () => void;
}

export interface Subresource {
  subresource?: 'status' | 'scale';
}

export interface WriteOptions extends RequestOptions {
  fieldManager?: string;
  dryRun?: boolean;
  fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
}

export interface ListOptions extends RequestOptions {
  /** All namespaces when absent. */
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  limit?: number;
  continue?: string;
  resourceVersion?: string;
}

export interface WatchOptions extends Omit<ListOptions, 'limit' | 'continue'> {
  resourceVersion: string;
  allowWatchBookmarks?: boolean;
  timeoutSeconds?: number;
  /** The server has accepted the watch; on a quiet collection the first event may be far away. */
  onOpen?: () => void;
}

export interface DeleteOptions extends RequestOptions {
  propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  gracePeriodSeconds?: number;
  preconditions?: { uid?: string; resourceVersion?: string };
}

export type KubePatch =
  | { type: 'json'; body: unknown[] }
  | { type: 'merge'; body: Record<string, unknown> }
  | { type: 'strategic'; body: Record<string, unknown> };

export interface RawOptions extends RequestOptions {
  body?: string | Uint8Array;
  headers?: Record<string, string>;
}

export interface RawResponse {
  status: number;
  headers: Record<string, string>;
  /** Streams when iterated; `text()` reads it whole. */
  body: AsyncIterable<Uint8Array>;
  text(): Promise<string>;
}

export interface SocketOptions extends RequestOptions {
  /** Subprotocols to offer, the preferred first. The server has to take one. */
  protocols: readonly string[];
}

export interface KubeSocket {
  /** The subprotocol that the server took. */
  protocol: string;
  /** A chunk is one binary message, either way, with backpressure. */
  frames: Duplex;
}
