import type { Server, ServerResponse } from 'node:http';
import { log, messageOf } from './log.ts';
import { listenTarget, type RuntimeSettings } from './settings.ts';

/** Longer than a router keeps a connection that nobody uses: the one who opened it should be the one who closes it. */
const KEEP_ALIVE_MILLISECONDS = 75_000;
const CLOSE_AGAIN_MILLISECONDS = 200;

/**
 * Listens, and stops gracefully on SIGTERM or SIGINT: no new connection, requests in flight are answered, then `close`
 * runs and the process ends. A second signal ends it at once.
 */
export function serve(server: Server, options: ServeOptions): void {
  const target = listenTarget(options.settings, options.port);
  let stopping = false;
  const underWay = new Set<ServerResponse>();
  server.keepAliveTimeout = KEEP_ALIVE_MILLISECONDS;
  server.prependListener('request', (_request, response: ServerResponse) => {
    underWay.add(response);
    response.once('close', () => underWay.delete(response));
    if (stopping) response.setHeader('connection', 'close');
  });
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) process.exit(1);
    stopping = true;
    log.info(`${options.name} stops on ${signal}, ${underWay.size} requests under way`);
    for (const response of underWay) if (!response.headersSent) response.setHeader('connection', 'close');
    options.stopping?.();
    server.close(() => void finish(options.close));
    // A connection that was busy is idle later.
    setInterval(() => server.closeIdleConnections(), CLOSE_AGAIN_MILLISECONDS).unref();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  server.on('error', (error) => {
    log.error(`${options.name} cannot listen on ${target.host}:${target.port}: ${error.message}`);
    process.exit(1);
  });
  server.listen(target.port, target.host, () => log.info(`${options.name} listens on ${target.host}:${target.port}`));
}

export interface ServeOptions {
  name: string;
  port: number;
  settings: RuntimeSettings;
  /** Ends what does not end by itself, such as open WebSockets. */
  stopping?: () => void;
  /** After the last answer. */
  close?: () => Promise<void>;
}

async function finish(close: (() => Promise<void>) | undefined): Promise<void> {
  try {
    await close?.();
    process.exit(0);
  } catch (error) {
    log.error(`the stop was not clean: ${messageOf(error)}`);
    process.exit(1);
  }
}
