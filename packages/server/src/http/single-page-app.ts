import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const NOT_BUILT = `Berth's web pages are not built yet.

Run "npm run build", then reload this page. The API answers all the same: see /api/docs.
`;

/** Files whose names hold a hash of their content never change. */
const HASHED = /^\/assets\/.+-[A-Za-z0-9_-]{8,}\.\w+$/;

/** Serves the built pages: files as they are, `index.html` for every other page that a browser asks for. */
export async function addSinglePageApp(app: FastifyInstance, directory: string): Promise<void> {
  await app.register(fastifyStatic, {
    root: directory,
    serve: false,
    cacheControl: false,
    // Answers of our own say it for each file.
    etag: true,
  });
}

/** What is not found under `/api` comes here. */
export async function servePage(request: FastifyRequest, reply: FastifyReply, directory: string): Promise<unknown> {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return reply.code(405).header('allow', 'GET, HEAD').type('text/plain').send('Pages are read with GET.\n');
  }
  const path = pathOf(request.url);
  if (path !== undefined && path !== '/index.html' && (await isFile(directory, path))) {
    reply.header('cache-control', HASHED.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache');
    return reply.sendFile(path);
  }
  if (!(await isFile(directory, '/index.html'))) return reply.code(503).type('text/plain').send(NOT_BUILT);
  if (path?.startsWith('/assets/') || !acceptsHtml(request)) {
    // Another server may have it: while servers are replaced, pages and their parts come from both releases.
    return reply.code(404).header('cache-control', 'no-store').type('text/plain').send('There is no such file.\n');
  }
  return reply.header('cache-control', 'no-cache').sendFile('/index.html');
}

/** Undefined for what is no plain path of a file. */
function pathOf(url: string): string | undefined {
  const [raw = ''] = url.split('?');
  let path: string;
  try {
    path = decodeURIComponent(raw);
  } catch {
    return undefined;
  }
  const hidden = path.split('/').some((part) => part.startsWith('.'));
  return path === '/' || hidden || path.includes('\\') || path.includes('\0') ? undefined : path;
}

async function isFile(directory: string, path: string): Promise<boolean> {
  const found = await stat(join(directory, path)).catch(() => undefined);
  return found?.isFile() ?? false;
}

function acceptsHtml(request: FastifyRequest): boolean {
  return /text\/html|\*\/\*/.test(request.headers.accept ?? '*/*');
}
