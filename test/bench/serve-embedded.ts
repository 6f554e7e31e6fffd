/** What `embedded-server.ts` starts: serves until its parent lets go of it. */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApiServer } from '@berth/kube/embedded/api/server';
import { postgresStore } from '@berth/kube/embedded/store/postgres-journal';
import { startPostgres } from '@berth/kube/testing/postgres';

const directory = await mkdtemp(join(tmpdir(), 'kube-bench-'));
const postgres = await startPostgres();
const server = await startApiServer({
  port: 0,
  store: postgresStore(postgres.pool),
  pkiDirectory: directory,
  encryptionKey: randomBytes(32),
  serviceNetwork: '127.32.0.0/12',
  clock: { now: Date.now },
  newId: randomUUID,
});
const { certificate, key } = await server.credentials({ name: 'bench', groups: ['system:masters'] });
process.once('disconnect', async () => {
  await server.close();
  await postgres.stop();
  await rm(directory, { recursive: true });
});
process.send?.({ server: server.url, ca: server.caCertificate, clientCertificate: certificate, clientKey: key });
