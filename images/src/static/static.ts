import { existsSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type SendOptions, type SendResult, send } from '@fastify/send';
import { text } from '../runtime/answer.ts';
import { log, messageOf } from '../runtime/log.ts';
import { type AppRequest, createWebApp } from '../runtime/web-app.ts';

const NOT_FOUND_PAGE = '/404.html';

/** Serves a folder: `@fastify/send` knows types, ranges, conditions, index files and what a path must not do. */
export function createStaticServer(root: string): Server {
  const options: SendOptions = { root, index: ['index.html'], dotfiles: 'ignore', cacheControl: false };

  return createWebApp(async (request) => {
    const { raw, path, method } = request;
    if (method !== 'GET') return { ...text(405, 'this site is read only'), headers: { allow: 'GET, HEAD' } };
    if (path === '/healthz' && !existsSync(join(root, 'healthz'))) return text(200, 'ok');
    const found = await send(raw, path, options);
    if (found.type !== 'error') return write(request, found);
    if (found.statusCode !== 404) return text(found.statusCode, found.metadata.error.message);
    // Neither a part of the page for what is missing nor "unchanged" would be an answer.
    for (const name of ['range', 'if-none-match', 'if-modified-since']) delete raw.headers[name];
    const missing = await send(raw, NOT_FOUND_PAGE, options);
    return missing.type === 'error' ? text(404, 'there is no such page') : write(request, missing, 404);
  });
}

async function write(
  { raw, response }: AppRequest,
  result: SendResult,
  status = result.statusCode,
): Promise<undefined> {
  response.writeHead(status, {
    ...result.headers,
    // Kept by browsers, and asked for again each time: an unchanged page is answered with 304.
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
  });
  if (raw.method === 'HEAD') {
    result.stream.destroy();
    response.end();
    return undefined;
  }
  await pipeline(result.stream, response).catch((error: unknown) => {
    // Whoever asked went away in the middle.
    log.warn(`${raw.url} was not sent whole: ${messageOf(error)}`);
  });
  return undefined;
}
