import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROUTES, type RouteName } from '@berth/core/api';
import { BerthError, isBerthError, toProblem } from '@berth/core/errors';
import { parseInput } from '@berth/core/parse';
import type { Route } from '@berth/core/route';
import { type MockApi, type MockOptions, mockApi } from './mock-api.ts';
import { mockShells } from './mock-shell.ts';
import { mockLive } from './mock-streams.ts';

/**
 * Serves the built app (`dist/web`) and the mocked contract under the headers of the real server, its CSP above all.
 *
 *     npx tsx packages/web/src/testing/mock-server.ts [--port N] [--many N] [--churn N] [--empty] [--sign-in] [--admin] [--web DIR]
 */
const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.woff': 'font/woff',
};

export function startMockServer(options: MockOptions, webRoot: string, port: number): Promise<Server> {
  const api = mockApi(options);
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    if (!url.pathname.startsWith('/api/')) return serveFile(webRoot, url.pathname, response);
    const found = findRoute(request.method ?? 'GET', url.pathname);
    if (found?.name === 'streamLive') return mockLive(url, response, api);
    try {
      const output = await answer(found, request, url, api);
      response.writeHead(output.status, { 'content-type': 'application/json' });
      response.end(output.body === undefined ? undefined : JSON.stringify(output.body));
    } catch (error) {
      const problem = toProblem(isBerthError(error) ? error : new BerthError('internal', String(error)));
      response.writeHead(problem.status, { 'content-type': 'application/problem+json' });
      response.end(JSON.stringify(problem));
    }
  };
  const server = createServer((request, response) => void handle(request, response));
  mockShells(server);
  return new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve(server)));
}

/** Parses what came in and checks what goes out by the contract's own schemas. */
async function answer(found: Found | undefined, request: IncomingMessage, url: URL, api: MockApi) {
  const handler = found && (api.handlers[found.name] as ((input: unknown) => unknown) | undefined);
  if (!found || !handler) throw new BerthError('not_found', `The mock has no ${request.method} ${url.pathname}`);
  const route: Route = ROUTES[found.name];
  const text = await readBody(request);
  const body = handler({
    params: route.params && parseInput(route.params, found.params, 'The address'),
    query: route.query && parseInput(route.query, Object.fromEntries(url.searchParams), 'The query'),
    body: route.body && parseInput(route.body, JSON.parse(text || '{}'), 'The request'),
    ifMatch: request.headers['if-match'],
  });
  if (route.output && route.output !== 'stream' && route.output !== 'socket')
    parseInput(route.output, body, `The mock of ${found.name}`);
  return { status: route.status ?? 200, body };
}

interface Found {
  name: RouteName;
  params: Record<string, string>;
}

function findRoute(method: string, path: string): Found | undefined {
  for (const [name, route] of Object.entries(ROUTES)) {
    const pattern = new RegExp(`^${route.path.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`);
    const match = route.method === method ? pattern.exec(path) : undefined;
    // `/preview` stands before `/:id` in spirit: literal paths are matched by a route of their own first.
    if (match && (match.groups?.id !== 'preview' || route.path.endsWith('preview'))) {
      return { name: name as RouteName, params: { ...match.groups } };
    }
  }
  return undefined;
}

async function serveFile(root: string, path: string, response: ServerResponse): Promise<void> {
  const file = join(root, normalize(path).replace(/^(\.\.[/\\])+/, ''));
  const known = extname(file) in TYPES ? file : join(root, 'index.html');
  try {
    const content = await readFile(known);
    response.writeHead(200, { 'content-type': TYPES[extname(known)] ?? 'text/html', 'content-security-policy': CSP });
    response.end(content);
  } catch {
    response.writeHead(404, { 'content-type': 'text/plain' });
    response.end('Not there. Was the app built?');
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const flag = (name: string) => process.argv.includes(name);
  const value = (name: string) => (flag(name) ? Number(process.argv[process.argv.indexOf(name) + 1]) : undefined);
  const options = {
    signedIn: !flag('--sign-in'),
    dev: !flag('--sign-in'),
    many: value('--many'),
    churn: value('--churn'),
    empty: flag('--empty'),
    admin: flag('--admin'),
  };
  const built = process.argv[process.argv.indexOf('--web') + 1];
  const root = flag('--web') && built ? built : fileURLToPath(new URL('../../../../dist/web', import.meta.url));
  const server = await startMockServer(options, root, value('--port') ?? 0);
  const address = server.address();
  console.log(`http://localhost:${typeof address === 'object' ? address?.port : ''}`);
}
