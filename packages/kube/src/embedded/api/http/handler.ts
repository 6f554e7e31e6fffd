import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from '../../../client/logger.ts';
import { authenticate } from '../auth/authenticate.ts';
import { type Authorizer, accessOf, refuse } from '../auth/authorize.ts';
import { impersonate } from '../auth/impersonate.ts';
import type { Tokens } from '../auth/tokens.ts';
import {
  aggregatedDiscovery,
  coreVersions,
  groupDocument,
  groupList,
  resourceList,
  SERVER_VERSION,
} from '../discovery/discovery.ts';
import { openApiDocument, openApiIndex } from '../discovery/openapi.ts';
import { badRequest, pageNotFound } from '../errors.ts';
import type { NodeAgent } from '../node-agent.ts';
import type { Rules } from '../rules/rules.ts';
import { parseAccept } from './negotiate.ts';
import { parseRequest, type RequestInfo } from './request-info.ts';
import { handleResource } from './resource-handler.ts';
import { type Reply, sendError, sendJson, sendText, toKubeError } from './respond.ts';
import type { WebSockets } from './web-sockets.ts';

export interface HandlerOptions {
  rules: Rules;
  tokens: Tokens;
  authorize: Authorizer;
  /** host:port, for the legacy discovery document. */
  address: () => string;
  ready: () => boolean;
  nodeAgent: () => NodeAgent | undefined;
  logger: Logger | undefined;
  sockets: WebSockets;
}

/** The same for a request that asks for another protocol; one that gets no answer in it gets an ordinary one. */
export interface Handler {
  request(request: IncomingMessage, response: ServerResponse): void;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

const UNKNOWN_PATH: RequestInfo = { path: '/', query: new URLSearchParams(), method: '', verb: '' };

/** The life of a request: parse, authenticate, authorise, answer; every failure becomes a Status. */
export function createHandler(options: HandlerOptions): Handler {
  return {
    request: (request, response) => handle(options, { request, response, warnings: [] }),
    upgrade(request, socket, head) {
      const response = new ServerResponse(request);
      response.shouldKeepAlive = false;
      response.assignSocket(request.socket);
      // Nothing else reads or ends this connection any more.
      response.once('finish', () => socket.end());
      socket.on('error', () => socket.destroy());
      handle(options, { request, response, warnings: [], upgrade: { socket, head } });
    },
  };
}

function handle(options: HandlerOptions, reply: Reply): void {
  const { request, response } = reply;
  answer(options, reply)
    .catch((error: unknown) => {
      const failure = toKubeError(error);
      if (failure.code === 500)
        options.logger?.error({ err: error, method: request.method, path: request.url }, 'request failed');
      // Changed to another protocol already: there is no way to send an answer, and whoever failed has closed it.
      if (reply.upgrade && !response.socket) return undefined;
      return sendError(reply, failure);
    })
    .catch((error: unknown) => {
      // The client is gone, or the answer could not be written: there is nobody left to tell.
      options.logger?.debug({ err: error }, 'answer not sent');
      response.destroy();
    });
}

async function answer(options: HandlerOptions, reply: Reply): Promise<void> {
  const { request } = reply;
  const user = impersonate(authenticate(request, options.rules.readToken), request, options.authorize);
  const info = parseRequest(request.method ?? 'GET', request.url ?? '/');
  if (!info) throw badRequest('the path cannot be read');
  const access = accessOf(info ?? UNKNOWN_PATH);
  if (!options.authorize(user, access)) throw refuse(user, access);
  if (info.resource) return answerResource(options, reply, { info, user });
  return answerPath(options, reply, info);
}

function answerResource(
  { rules, nodeAgent, tokens, sockets }: HandlerOptions,
  reply: Reply,
  { info, user }: { info: RequestInfo; user: Parameters<Authorizer>[0] },
): Promise<void> {
  const path = info.resource!;
  const kind = rules.registry.find(path.group, path.version, path.plural);
  if (!kind) throw pageNotFound();
  return handleResource({ rules, info, path, kind, user, reply, now: rules.clock.now, nodeAgent, tokens, sockets });
}

/** Everything that is no resource. */
function answerPath(options: HandlerOptions, reply: Reply, info: RequestInfo): Promise<void> {
  if (info.method !== 'GET' && info.method !== 'HEAD') throw pageNotFound();
  const path = info.path.length > 1 ? info.path.replace(/\/+$/, '') : info.path;
  if (path === '/healthz' || path === '/livez' || path === '/readyz' || /^\/(healthz|livez|readyz)\/ping$/.test(path))
    return answerHealth(options, reply);
  const document = documentAt(options, reply, path);
  if (!document) throw pageNotFound();
  return document.type
    ? sendText(reply, 200, `${JSON.stringify(document.body)}\n`, document.type)
    : sendJson(reply, 200, document.body);
}

function answerHealth({ ready }: HandlerOptions, reply: Reply): Promise<void> {
  return ready()
    ? sendText(reply, 200, 'ok', 'text/plain; charset=utf-8')
    : sendText(reply, 500, 'not ready', 'text/plain; charset=utf-8');
}

interface Document {
  body: unknown;
  type?: string;
}

function documentAt({ rules, address }: HandlerOptions, reply: Reply, path: string): Document | undefined {
  const { registry } = rules;
  const aggregated = wantsAggregated(reply.request.headers.accept);
  if (path === '/') return { body: { paths: rootPaths(rules) } };
  if (path === '/version') return { body: SERVER_VERSION };
  if (path === '/api') return aggregated ? discoveryOf(rules, true) : { body: coreVersions(address()) };
  if (path === '/apis') return aggregated ? discoveryOf(rules, false) : { body: groupList(registry) };
  if (path === '/openapi/v3') return { body: openApiIndex(registry) };
  if (path.startsWith('/openapi/v3/')) return found(openApiDocument(registry, path.slice('/openapi/v3/'.length)));
  const [, root, ...rest] = path.split('/');
  if (root === 'api' && rest.length === 1) return found(resourceList(registry, '', rest[0]!));
  if (root === 'apis' && rest.length === 1) return found(groupDocument(registry, rest[0]!));
  if (root === 'apis' && rest.length === 2) return found(resourceList(registry, rest[0]!, rest[1]!));
  return undefined;
}

function found(body: unknown): Document | undefined {
  return body === undefined ? undefined : { body };
}

function discoveryOf({ registry }: Rules, core: boolean): Document {
  return {
    body: aggregatedDiscovery(registry, core),
    type: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  };
}

function wantsAggregated(accept: string | undefined): boolean {
  return parseAccept(accept ?? '').some(
    ({ parameters }) => parameters.get('as') === 'APIGroupDiscoveryList' && parameters.get('v') === 'v2',
  );
}

function rootPaths({ registry }: Rules): string[] {
  const groups = registry
    .all()
    .flatMap(({ group, version }) =>
      group === '' ? [`/api/${version}`] : [`/apis/${group}`, `/apis/${group}/${version}`],
    );
  return [...new Set(['/api', '/apis', ...groups, '/healthz', '/livez', '/openapi/v3', '/readyz', '/version'])].sort();
}
