/** What `list.ts` compares with: fastify, one route, a string. */
import type { AddressInfo } from 'node:net';
import fastify from 'fastify';

process.once('disconnect', () => process.exit());
process.once('message', async (bytes: string) => {
  const app = fastify({ logger: false });
  app.get('/', async (_request, reply) => reply.type('application/json; charset=utf-8').send(bytes));
  await app.listen({ host: '127.0.0.1', port: 0 });
  process.send?.((app.server.address() as AddressInfo).port);
});
