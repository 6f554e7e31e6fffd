/** A node in a process of its own, so that a test can kill it: `tsx node-process.ts SETTINGS.json`. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeConfig } from '../../client/client.ts';
import { systemClock } from '../../client/clock.ts';
import { createKubeClient } from '../../client/http-client.ts';
import { createSilentLogger } from '../../client/testing/silent-logger.ts';
import { createCaches } from '../caches.ts';
import type { ImageCatalogue } from '../node/image-catalogue.ts';
import { createNode } from '../node/node.ts';

export interface NodeProcessSettings {
  config: KubeConfig;
  dataDirectory: string;
  images: ImageCatalogue;
}

const settings = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as NodeProcessSettings;
const client = createKubeClient(settings.config);
const shared = { client, logger: createSilentLogger(), clock: systemClock, newId: randomUUID };
const node = createNode({
  ...shared,
  caches: createCaches(shared),
  events: { record: () => undefined },
  dataDirectory: settings.dataDirectory,
  volumesDirectory: join(settings.dataDirectory, 'volumes'),
  hostsFile: join(settings.dataDirectory, 'hosts.json'),
  images: settings.images,
  workloadUser: { uid: 65_534, gid: 65_534 },
  restart: { baseMs: 200, maxMs: 1000, resetMs: 60_000 },
  pollMs: 50,
});
await node.start();
process.send?.('ready');
