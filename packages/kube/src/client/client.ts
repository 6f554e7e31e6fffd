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
  /** One watch connection; ends when the server ends it, throws a `KubeError` when it breaks. Use `Reflector` to stay up to date. */
  watch<T extends KubeObject>(type: ResourceType, options: WatchOptions): AsyncIterable<WatchEvent<T>>;
  /** A request outside the typed verbs: `/version`, pod logs, discovery. */
  raw(method: string, path: string, options?: RawOptions): Promise<RawResponse>;
  close(): Promise<void>;
}

export interface ObjectAddress {
  name: string;
  namespace?: string;
}

export interface RequestOptions {
  signal?: AbortSignal;
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
