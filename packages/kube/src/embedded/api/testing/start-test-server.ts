import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryStore } from '../../store/journaled-store.ts';
import type { Store } from '../../store/store.ts';
import { type ApiServer, type ApiServerOptions, startApiServer } from '../server.ts';
import { type Answer, answerOf, type Endpoint, send } from './run-scenario.ts';
import type { ScenarioStep } from './scenario.ts';

export interface TestServer {
  server: ApiServer;
  admin: Endpoint;
  as(user: { name: string; groups: string[] }): Promise<Endpoint>;
  call(step: Omit<ScenarioStep, 'name'>, endpoint?: Endpoint): Promise<Answer>;
  raw(step: Omit<ScenarioStep, 'name'>): ReturnType<typeof send>;
  close(): Promise<void>;
}

/** A server on a free port with its certificates in a folder of its own. */
export async function startTestServer(
  options: Partial<ApiServerOptions> & { store?: Store } = {},
): Promise<TestServer> {
  const directory = await mkdtemp(join(tmpdir(), 'kube-api-'));
  const server = await startApiServer({
    port: 0,
    store: memoryStore(),
    pkiDirectory: join(directory, 'pki'),
    serviceNetwork: '127.32.0.0/12',
    clock: { now: Date.now },
    newId: randomUUID,
    ...options,
  }).catch(async (error: unknown) => {
    await rm(directory, { recursive: true, force: true });
    throw error;
  });
  const as = async (user: { name: string; groups: string[] }): Promise<Endpoint> => {
    const { certificate, key } = await server.credentials(user);
    return { url: server.url, ca: server.caCertificate, certificate, key };
  };
  const admin = await as({ name: 'admin', groups: ['system:masters'] });
  return {
    server,
    admin,
    as,
    call: (step, endpoint = admin) => answerOf(endpoint, { name: '', ...step }),
    raw: (step) => send(admin, { name: '', ...step }),
    async close() {
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
