import type { KubeClient } from '@berth/kube/client/client';
import type { ResourceType } from '@berth/kube/schema/object';

/** One request to the API server. */
export interface ObservedRequest {
  verb: 'get' | 'list' | 'create' | 'replace' | 'patch' | 'apply' | 'delete';
  /** The plural: `deployments`. */
  resource: string;
  subresource?: string | undefined;
  namespace?: string | undefined;
  name?: string | undefined;
}

export type ObserveRequest = <T>(request: ObservedRequest, run: () => Promise<T>) => Promise<T>;

/** The same client, with somebody who sees every request but those that have no end: watches, logs and sockets. */
export function observedClient(client: KubeClient, observe: ObserveRequest): KubeClient {
  const described = (
    verb: ObservedRequest['verb'],
    { plural }: ResourceType,
    more: Omit<ObservedRequest, 'verb' | 'resource'>,
  ) => ({
    ...{ verb, resource: plural },
    ...more,
  });
  return {
    ...client,
    get: (type, at, options) => observe(described('get', type, at), () => client.get(type, at, options)),
    list: (type, options) =>
      observe(described('list', type, { namespace: options?.namespace }), () => client.list(type, options)),
    create: (type, object, options) =>
      observe(described('create', type, addressOf(object)), () => client.create(type, object, options)),
    replace: (type, object, options) =>
      observe(described('replace', type, { ...addressOf(object), ...subresourceOf(options) }), () =>
        client.replace(type, object, options),
      ),
    patch: (type, at, patch, options) =>
      observe(described('patch', type, { ...at, ...subresourceOf(options) }), () =>
        client.patch(type, at, patch, options),
      ),
    apply: (type, object, options) =>
      observe(described('apply', type, { ...addressOf(object), ...subresourceOf(options) }), () =>
        client.apply(type, object, options),
      ),
    delete: (type, at, options) => observe(described('delete', type, at), () => client.delete(type, at, options)),
  };
}

function addressOf({ metadata }: { metadata: { name?: string; namespace?: string } }) {
  return { name: metadata.name, namespace: metadata.namespace };
}

function subresourceOf(options: { subresource?: string } | undefined) {
  return { subresource: options?.subresource };
}
