import { type Clock, systemClock } from '@berth/kube/client/clock';
import { startTestCluster } from '@berth/kube/embedded/testing/test-cluster';
import { type OperatorScene, sceneOf } from './operator-scene.ts';

/** A whole embedded cluster whose pods really run, with operators beside it. */
export interface ClusterScene extends Omit<OperatorScene, 'stopServer'> {
  /** The operator's: real, but it can be set forward. Whoever sets it must make the operator look. */
  clock: Clock & { forward(seconds: number): void };
}

/** Runs the script that is its argument, and one that serves HTTP as the environment tells it. */
export const IMAGE = 'test.dev/node:1';

export async function startClusterScene(): Promise<ClusterScene> {
  const images = { 'test.dev/node': { entrypoint: [process.execPath, '-e'], command: [], env: {} } };
  const cluster = await startTestCluster({ images });
  const scene = await sceneOf(await cluster.cluster.clientFor({ name: 'test', groups: ['system:masters'] }));
  let forwarded = 0;
  const clock = {
    ...systemClock,
    now: () => Date.now() + forwarded,
    forward: (seconds: number) => {
      forwarded += seconds * 1000;
    },
  };
  return {
    ...scene,
    clock,
    startOperator: (options) => scene.startOperator({ clock, ...options }),
    async end() {
      await scene.end();
      await cluster.stop();
    },
  };
}

/** Answers with its version; `HEALTH` is the status of /readyz. Prints what it was given, as careless programs do. */
export const SERVER = `
const { createServer } = require('node:http');
const { VERSION, HEALTH = '200', PASSWORD, LISTEN_ADDRESS } = process.env;
console.log('\\u001b[32mversion ' + VERSION + '\\u001b[0m connects as app:' + PASSWORD);
createServer((request, response) => {
  response.statusCode = request.url === '/readyz' ? Number(HEALTH) : 200;
  response.end(VERSION);
}).listen(8080, LISTEN_ADDRESS);
process.on('SIGTERM', () => process.exit(0));
`;
