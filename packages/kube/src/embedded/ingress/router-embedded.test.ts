import { createServer } from 'node:http';
import { afterAll, beforeAll, test } from 'vitest';
import { createSilentLogger } from '../../client/testing/silent-logger.ts';
import { until } from '../../client/testing/until.ts';
import type { KubeObject } from '../../schema/object.ts';
import { ENDPOINT_SLICE, INGRESS, SERVICE } from '../../schema/resources.ts';
import { type EmbeddedScene, startEmbeddedScene } from '../testing/embedded-scene.ts';
import { startRouter } from './router.ts';
import { getThrough, portOf } from './testing/router-scene.ts';

let scene: EmbeddedScene;
beforeAll(async () => {
  scene = await startEmbeddedScene();
});
afterAll(() => scene.end());

test('a router over the API server routes what kubectl would make, and writes where it is', async () => {
  const { client, namespace } = scene;
  const pod = createServer((_request, response) => response.end('hello'));
  await new Promise<void>((resolve) => pod.listen(0, '127.0.0.1', resolve));
  const router = await startRouter({
    client,
    host: '127.0.0.1',
    port: 0,
    ingressClassName: 'test',
    logger: createSilentLogger(),
  });
  await router.ready;

  const labels = { 'kubernetes.io/service-name': 'web' };
  const make = (apiVersion: string, kind: string, rest: object, more = {}): KubeObject => ({
    apiVersion,
    kind,
    metadata: { name: 'web', namespace, ...more },
    ...rest,
  });
  await client.create(SERVICE, make('v1', 'Service', { spec: { ports: [{ name: 'http', port: 80 }] } }));
  const slice = {
    addressType: 'IPv4',
    endpoints: [{ addresses: ['127.0.0.1'], conditions: { ready: true } }],
    ports: [{ name: 'http', port: portOf(pod), protocol: 'TCP' }],
  };
  await client.create(ENDPOINT_SLICE, make('discovery.k8s.io/v1', 'EndpointSlice', slice, { labels }));
  const backend = { service: { name: 'web', port: { number: 80 } } };
  const rules = [{ host: 'web.test', http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }];
  await client.create(INGRESS, make('networking.k8s.io/v1', 'Ingress', { spec: { ingressClassName: 'test', rules } }));

  const read = async () => (await getThrough(router.port, { host: 'web.test' })).body;
  await until(async () => (await read()) === 'hello');
  const reached = { loadBalancer: { ingress: [{ hostname: 'localhost' }] } };
  await until(
    async () =>
      JSON.stringify((await client.get(INGRESS, { name: 'web', namespace })).status) === JSON.stringify(reached),
  );
  await client.delete(INGRESS, { name: 'web', namespace });
  await until(async () => (await read()).includes('No app answers'));
  await router.close();
  pod.close();
});
