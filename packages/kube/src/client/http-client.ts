import type { Dispatcher } from 'undici';
import { apiVersionOf, type KubeList, type KubeObject, type ResourceType, type WatchEvent } from '../schema/object.ts';
import { isKubeError, KubeError } from '../schema/status.ts';
import type {
  DeleteOptions,
  KubeClient,
  KubeConfig,
  KubePatch,
  RequestOptions,
  WatchOptions,
  WriteOptions,
} from './client.ts';
import { type Clock, delay, systemClock } from './clock.ts';
import { errorOfAnswer, errorOfStatus, isStatus, malformed, transportError } from './http-error.ts';
import { readLines } from './json-lines.ts';
import { collectionPath, objectPath, query, requireNamespace } from './paths.ts';
import { createTransport, type TransportRequest } from './transport.ts';
import { createSockets } from './web-socket.ts';

const REQUEST_TIMEOUT_MS = 30_000;
/** A 429 says that nothing was done, so every method may try again. */
const THROTTLED_RETRIES = 5;
const LONGEST_RETRY_AFTER_SECONDS = 10;

const PATCH_MEDIA_TYPES: Record<KubePatch['type'] | 'apply', string> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

interface Call {
  method: string;
  path: string;
  body?: unknown;
  contentType?: string;
  signal?: AbortSignal | undefined;
  permit?: (() => void) | undefined;
}

export function createKubeClient(config: KubeConfig, clock: Clock = systemClock): KubeClient {
  const transport = createTransport(config);
  const timeoutMs = config.requestTimeoutMs ?? REQUEST_TIMEOUT_MS;
  const userAgent = config.userAgent ?? 'berth-kube';
  const sockets = createSockets(config, userAgent);

  async function send(request: Omit<TransportRequest, 'headers'> & { headers?: Record<string, string> }) {
    const headers = { accept: 'application/json', 'user-agent': userAgent, ...request.headers };
    try {
      return await transport.send({ ...request, headers });
    } catch (error) {
      // A reused connection that the server had just closed: a read may simply be asked again.
      if (request.method !== 'GET' || !isClosedConnection(error)) throw error;
      return await transport.send({ ...request, headers });
    }
  }

  /** One request with a JSON answer, within the deadline; waits out a server that says it is too busy. */
  async function call(call: Call): Promise<unknown> {
    const name = `${call.method} ${config.server}${call.path}`;
    const deadline = startDeadline(clock, timeoutMs, call.signal);
    const request = {
      method: call.method,
      path: call.path,
      endless: false,
      signal: deadline.signal,
      permit: call.permit,
      ...(call.body !== undefined && {
        body: JSON.stringify(call.body),
        headers: { 'content-type': call.contentType ?? 'application/json' },
      }),
    };
    try {
      for (let attempt = 0; ; attempt++) {
        const answer = await send(request);
        const text = await answer.body.text();
        if (answer.statusCode < 300) return parse(name, text);
        if (answer.statusCode !== 429 || attempt === THROTTLED_RETRIES) {
          throw errorOfAnswer(name, answer.statusCode, text);
        }
        await delay(clock, retryAfterMs(answer, clock), deadline.signal);
        deadline.signal.throwIfAborted();
      }
    } catch (error) {
      call.signal?.throwIfAborted();
      if (error instanceof KubeError) throw error;
      throw transportError(name, error);
    } finally {
      deadline.end();
    }
  }

  async function* watch<T extends KubeObject>(
    type: ResourceType,
    options: WatchOptions,
  ): AsyncGenerator<WatchEvent<T>> {
    const { namespace, signal, onOpen, permit: _unasked, ...parameters } = options;
    const path = collectionPath(type, namespace) + query({ watch: true, ...parameters });
    const name = `watch of ${config.server}${path}`;
    const ending = new AbortController();
    const stop = () => ending.abort(signal?.reason);
    if (signal?.aborted) stop();
    signal?.addEventListener('abort', stop);
    try {
      const answer = await send({ method: 'GET', path, endless: true, signal: ending.signal });
      if (answer.statusCode !== 200) throw errorOfAnswer(name, answer.statusCode, await answer.body.text());
      onOpen?.();
      for await (const line of readLines(answer.body)) yield toWatchEvent<T>(name, line);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof KubeError) throw error;
      throw transportError(name, error);
    } finally {
      signal?.removeEventListener('abort', stop);
      // The reader may have left in the middle: the connection cannot be used again.
      ending.abort();
    }
  }

  return {
    server: config.server,
    watch,
    async get<T extends KubeObject>(type: ResourceType, at: Parameters<KubeClient['get']>[1], options = {}) {
      return (await call({ method: 'GET', path: objectPath(type, at), ...options })) as T;
    },
    async list<T extends KubeObject>(type: ResourceType, options = {}) {
      const { namespace, signal, permit, ...parameters } = options as Parameters<KubeClient['list']>[1] & object;
      const path = collectionPath(type, namespace) + query(parameters);
      const list = (await call({ method: 'GET', path, signal, permit })) as KubeList<T>;
      // A server leaves out what all items share.
      const items = (list.items ?? []).map((item) => typed(type, item));
      return { ...list, metadata: list.metadata ?? {}, items };
    },
    async create(type, object, options = {}) {
      requireNamespace(type, object.metadata);
      const path = collectionPath(type, object.metadata.namespace) + query(writeParameters(options));
      return (await call({ method: 'POST', path, body: typed(type, object), ...sending(options) })) as typeof object;
    },
    async replace(type, object, options = {}) {
      const path = objectPath(type, object.metadata, options.subresource) + query(writeParameters(options));
      return (await call({ method: 'PUT', path, body: typed(type, object), ...sending(options) })) as typeof object;
    },
    async patch<T extends KubeObject>(
      type: ResourceType,
      at: Parameters<KubeClient['patch']>[1],
      patch: KubePatch,
      options: Parameters<KubeClient['patch']>[3] = {},
    ) {
      const path = objectPath(type, at, options.subresource) + query(writeParameters(options));
      const contentType = PATCH_MEDIA_TYPES[patch.type];
      return (await call({ method: 'PATCH', path, body: patch.body, contentType, ...sending(options) })) as T;
    },
    async apply(type, object, options) {
      const parameters = { ...writeParameters(options), force: options.force };
      const path = objectPath(type, object.metadata, options.subresource) + query(parameters);
      // The server refuses an apply that carries the bookkeeping of earlier ones.
      const { managedFields: _bookkeeping, ...metadata } = object.metadata;
      const body = { ...typed(type, object), metadata };
      const contentType = PATCH_MEDIA_TYPES.apply;
      return (await call({ method: 'PATCH', path, body, contentType, ...sending(options) })) as typeof object;
    },
    async delete(type, at, options: DeleteOptions = {}) {
      const { signal, permit, ...rest } = options;
      const body = { apiVersion: 'v1', kind: 'DeleteOptions', ...rest };
      try {
        const answer = await call({ method: 'DELETE', path: objectPath(type, at), body, signal, permit });
        return isStatus(answer) ? undefined : (answer as KubeObject);
      } catch (error) {
        if (isKubeError(error, 'NotFound')) return undefined;
        throw error;
      }
    },
    async raw(method, path, options = {}) {
      const signal = options.signal ?? new AbortController().signal;
      try {
        const { body, headers } = options;
        const answer = await send({
          method,
          path,
          endless: true,
          signal,
          ...(body && { body }),
          ...(headers && { headers }),
        });
        return {
          status: answer.statusCode,
          headers: Object.fromEntries(Object.entries(answer.headers).map(([key, value]) => [key, String(value)])),
          body: answer.body,
          text: () => answer.body.text(),
        };
      } catch (error) {
        options.signal?.throwIfAborted();
        throw transportError(`${method} ${config.server}${path}`, error);
      }
    },
    socket: (path, options) => sockets.open(path, options),
    async close() {
      sockets.close();
      await transport.close();
    },
  };
}

function toWatchEvent<T extends KubeObject>(name: string, line: string): WatchEvent<T> {
  const event = parse(name, line) as Partial<WatchEvent<T>> | null;
  if (typeof event !== 'object' || typeof event?.type !== 'string' || typeof event.object !== 'object') {
    throw malformed(name, line);
  }
  if (event.type === 'ERROR') throw errorOfStatus(event.object as object);
  return event as WatchEvent<T>;
}

function parse(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw malformed(name, text, error);
  }
}

function typed<T extends KubeObject>(type: ResourceType, object: T): T {
  return object.kind && object.apiVersion ? object : { ...object, apiVersion: apiVersionOf(type), kind: type.kind };
}

function sending({ signal, permit }: RequestOptions): Pick<Call, 'signal' | 'permit'> {
  return { signal, permit };
}

function writeParameters(options: WriteOptions): Record<string, string | undefined> {
  const { fieldManager, fieldValidation, dryRun } = options;
  return { fieldManager, fieldValidation, dryRun: dryRun ? 'All' : undefined };
}

/** Ends a request that takes too long, or when its caller gives up. */
function startDeadline(clock: Clock, milliseconds: number, caller: AbortSignal | undefined) {
  const controller = new AbortController();
  const giveUp = () => controller.abort(caller?.reason);
  const cancel = clock.after(milliseconds, () => controller.abort(new Error(`no answer within ${milliseconds} ms`)));
  if (caller?.aborted) giveUp();
  caller?.addEventListener('abort', giveUp);
  const end = () => {
    cancel();
    caller?.removeEventListener('abort', giveUp);
  };
  return { signal: controller.signal, end };
}

function retryAfterMs(answer: Dispatcher.ResponseData, clock: Clock): number {
  const asked = Number(answer.headers['retry-after']);
  const seconds = Number.isFinite(asked) && asked > 0 ? Math.min(asked, LONGEST_RETRY_AFTER_SECONDS) : 1;
  // Spread, so that all whom the server turned away do not return in one instant.
  return seconds * 1000 * (1 + 0.5 * clock.random());
}

function isClosedConnection(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE';
}
