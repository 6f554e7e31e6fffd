import { afterEach, expect, test } from 'vitest';
import { CONFIG_MAP } from '../schema/resources.ts';
import type { KubeClient } from './client.ts';
import { type Clock, systemClock } from './clock.ts';
import { createKubeClient } from './http-client.ts';
import { createReflector, type Reflector } from './reflector.ts';
import { type FaultyServer, startFaultyServer, type WatchFault } from './testing/faulty-server.ts';
import { createSilentLogger } from './testing/silent-logger.ts';
import { until } from './testing/until.ts';

/** Real connections on a clock that runs fast: minutes of silence and seconds of back-off pass in moments. */
const SPEED = 100;
const fast: Clock = {
  ...systemClock,
  monotonic: () => systemClock.monotonic() * SPEED,
  after: (milliseconds, callback) => systemClock.after(milliseconds / SPEED, callback),
};

let server: FaultyServer;
let client: KubeClient;
let reflector: Reflector;
afterEach(async () => {
  await reflector.stop();
  await client.close();
  await server.close();
});

test.each<WatchFault>([
  'stall',
  'half open',
  'reset',
  'cut line',
  'garbage',
  'gone event',
  'gone status',
  'error event',
])('a watch that meets "%s" loses nothing and tells nothing twice', async (fault) => {
  server = await startFaultyServer();
  client = createKubeClient({ server: server.url });
  reflector = createReflector({
    client,
    type: CONFIG_MAP,
    logger: createSilentLogger(),
    clock: fast,
    silenceMs: 90_000,
  });
  const told: string[] = [];
  reflector.onChange('test', ({ type, object }) => told.push(`${type} ${object.metadata.name}=${object.value}`));
  server.set('kept', 1);
  server.set('gone', 1);
  server.script.push(fault, 'reset', fault);
  reflector.start();
  await reflector.synced;
  server.set('kept', 2);
  server.remove('gone');
  server.set('new', 1);
  await until(() => server.script.length === 0);
  server.set('last', 1);
  await until(() => reflector.get('team/last') !== undefined);
  expect(told.slice(0, 2)).toEqual(['added kept=1', 'added gone=1']);
  expect(told.slice(2).sort()).toEqual(['added last=1', 'added new=1', 'deleted gone=1', 'updated kept=2']);
  expect(reflector.list()).toHaveLength(3);
  await until(() => reflector.healthy());
  expect(server.requests.length).toBeLessThan(20);
});

test('while the server is away the copy stays, and is not healthy', async () => {
  server = await startFaultyServer();
  client = createKubeClient({ server: server.url });
  reflector = createReflector({ client, type: CONFIG_MAP, logger: createSilentLogger(), clock: fast });
  server.set('a', 1);
  reflector.start();
  await reflector.synced;
  await server.close();
  await until(() => !reflector.healthy());
  expect(reflector.list()).toHaveLength(1);
});
