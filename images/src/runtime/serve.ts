import type { Server } from 'node:http';
import { listenTarget, type RuntimeSettings } from './settings.ts';

/**
 * Listens, and stops gracefully on SIGTERM or SIGINT: no new connection, requests in flight are answered, then `close`
 * runs and the process ends. A second signal ends it at once.
 */
export function serve(server: Server, options: ServeOptions): void {
  const target = listenTarget(options.settings, options.port);
  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) process.exit(1);
    stopping = true;
    console.log(`${options.name} stops on ${signal}`);
    server.close(() => void finish(options.close));
    server.closeIdleConnections();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  server.on('error', (error) => {
    console.error(`${options.name} cannot listen on ${target.host}:${target.port}: ${error.message}`);
    process.exit(1);
  });
  server.listen(target.port, target.host, () => {
    console.log(`${options.name} listens on ${target.host}:${target.port}`);
  });
}

export interface ServeOptions {
  name: string;
  port: number;
  settings: RuntimeSettings;
  close?: () => Promise<void>;
}

async function finish(close: (() => Promise<void>) | undefined): Promise<void> {
  try {
    await close?.();
    process.exit(0);
  } catch (error) {
    console.error(`the stop was not clean: ${String(error)}`);
    process.exit(1);
  }
}
