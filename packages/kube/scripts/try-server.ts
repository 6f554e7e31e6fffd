import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { startApiServer } from '../src/embedded/api/server.ts';
import { memoryStore } from '../src/embedded/store/journaled-store.ts';

const dir = process.argv[2] ?? '/tmp/try';
const server = await startApiServer({
  port: Number(process.argv[3] ?? 0),
  store: memoryStore(),
  pkiDirectory: `${dir}/pki`,
  serviceNetwork: '127.32.0.0/12',
  clock: { now: Date.now },
  newId: randomUUID,
  logger: {
    debug: () => {},
    info: () => {},
    warn: console.warn,
    error: console.error,
    child() {
      return this;
    },
  } as never,
});
writeFileSync(`${dir}/kubeconfig`, await server.kubeconfig({ name: 'admin', groups: ['system:masters'] }));
writeFileSync(`${dir}/user.kubeconfig`, await server.kubeconfig({ name: 'jane', groups: ['devs'] }));
console.log(server.url);
