import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import fastify, { type FastifyInstance } from 'fastify';
import type { Draining } from '../processes/draining.ts';
import type { Probe } from '../processes/probes.ts';
import { mountHealth } from './health.ts';
import { addSecurityHeaders } from './security-headers.ts';
import { addSinglePageApp, servePage } from './single-page-app.ts';

export interface PagesOptions {
  publicUrl: string;
  webDirectory: string;
  draining: Pick<Draining, 'active'>;
  live: readonly Probe[];
}

const BODY_LIMIT_BYTES = 1024;
const REQUEST_TIMEOUT_MS = 30_000;

/** The pages with the headers that a server sends with them. They hold nothing that is not for everybody, whatever the host. */
export async function buildPages({ publicUrl, webDirectory, draining, live }: PagesOptions): Promise<FastifyInstance> {
  const app = fastify({
    logger: false,
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    exposeHeadRoutes: false,
  });
  await addSecurityHeaders(app, { secure: new URL(publicUrl).protocol === 'https:' });
  app.addHook('onRequest', async (_request, reply) => {
    if (draining.active()) reply.header('connection', 'close');
  });
  mountHealth(app, {
    live: [{ name: 'ping', problem: () => undefined }, ...live],
    ready: [
      { name: 'draining', problem: () => (draining.active() ? 'it is about to stop' : undefined) },
      { name: 'pages', problem: () => pagesProblem(webDirectory) },
    ],
  });
  await addSinglePageApp(app, webDirectory);
  app.setNotFoundHandler((request, reply) => {
    if (!/^\/api(?:[/?]|$)/.test(request.url)) return servePage(request, reply, webDirectory);
    const text = 'The API is not here: send /api to the servers of Berth.\n';
    return reply.code(404).header('cache-control', 'no-store').type('text/plain').send(text);
  });
  return app;
}

async function pagesProblem(directory: string): Promise<string | undefined> {
  const found = await stat(join(directory, 'index.html')).catch(() => undefined);
  return found?.isFile() ? undefined : 'they are not built';
}
