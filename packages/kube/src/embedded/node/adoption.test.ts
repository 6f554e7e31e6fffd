import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeClient, KubeConfig } from '../../client/client.ts';
import { systemClock } from '../../client/clock.ts';
import { createKubeClient } from '../../client/http-client.ts';
import type { Pod } from '../../schema/kinds/pod.ts';
import { POD, SERVICE_ACCOUNT } from '../../schema/resources.ts';
import { isKubeError } from '../../schema/status.ts';
import { type ApiServer, startApiServer } from '../api/server.ts';
import { memoryStore } from '../store/journaled-store.ts';
import { bundledImages } from '../testing/bundled-images.ts';
import { eventually, testDirectory } from '../testing/test-cluster.ts';
import { readRecord } from './process/container-record.ts';

const directory = testDirectory();
const program = fileURLToPath(new URL('../testing/node-process.ts', import.meta.url));
const namespace = 'default';
let api: ApiServer;
let client: KubeClient;
let settings: string;
let node: ChildProcess;

beforeAll(async () => {
  const clock = systemClock;
  api = await startApiServer({
    port: 0,
    store: memoryStore(),
    pkiDirectory: join(directory, 'pki'),
    serviceNetwork: '127.32.0.0/22',
    clock,
    newId: randomUUID,
  });
  const { certificate, key } = await api.credentials({ name: 'node', groups: ['system:masters'] });
  const config: KubeConfig = { server: api.url, ca: api.caCertificate, clientCertificate: certificate, clientKey: key };
  client = createKubeClient(config);
  await client.create(SERVICE_ACCOUNT, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'default', namespace },
  });
  settings = join(directory, 'settings.json');
  mkdirSync(join(directory, 'data'), { mode: 0o755 });
  writeFileSync(
    settings,
    JSON.stringify({ config, dataDirectory: join(directory, 'data'), images: await bundledImages() }),
  );
  node = await startNode();
});

afterAll(async () => {
  for (const pod of (await client.list(POD, { namespace })).items) {
    await client.delete(POD, { namespace, name: pod.metadata.name }, { gracePeriodSeconds: 1 });
  }
  await eventually(async () => expect((await client.list(POD, { namespace })).items).toEqual([]));
  node.kill('SIGKILL');
  await client.close();
  await api.close();
  rmSync(directory, { recursive: true, force: true });
});

async function startNode(): Promise<ChildProcess> {
  const child = fork(program, [settings], {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve());
    child.once('exit', (code) => reject(new Error(`the node ended with ${code}`)));
  });
  return child;
}

async function killNode(): Promise<void> {
  const exit = new Promise((resolve) => node.once('exit', resolve));
  node.kill('SIGKILL');
  await exit;
}

const whoami = (name: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace },
  spec: {
    terminationGracePeriodSeconds: 2,
    containers: [
      {
        name: 'web',
        image: 'test.dev/whoami',
        env: [{ name: 'GREETING', value: name }],
        readinessProbe: { httpGet: { path: '/healthz', port: 8080 }, periodSeconds: 1 },
      },
    ],
  },
});

async function ready(name: string): Promise<Pod> {
  return eventually(async () => {
    const pod = await client.get<Pod>(POD, { namespace, name });
    expect(pod.status?.containerStatuses?.[0]?.ready, JSON.stringify(pod.status)).toBe(true);
    return pod;
  });
}

const recordFile = (pod: Pod) => join(directory, 'data/pods', pod.metadata.uid ?? '', 'containers/web/record.json');
const recordOf = (pod: Pod) => readRecord(recordFile(pod));

describe('a node killed at any instant', () => {
  it('leaves its pods running, and the next adopts them without a restart', async () => {
    await client.create(POD, whoami('stays'));
    const before = await ready('stays');
    const pid = recordOf(before)?.process?.pid ?? 0;
    await killNode();
    expect((await fetch(`http://${before.status?.podIP}:8080/`)).status).toBe(200);
    node = await startNode();
    const after = await ready('stays');
    expect(recordOf(after)?.process?.pid).toBe(pid);
    expect(after.status?.podIP).toBe(before.status?.podIP);
    expect(after.status?.containerStatuses?.[0]?.restartCount).toBe(0);
    // Still watched: its end is noticed though it is nobody's child.
    process.kill(pid, 'SIGKILL');
    const restarted = await eventually(async () => {
      const pod = await ready('stays');
      expect(pod.status?.containerStatuses?.[0]?.restartCount).toBe(1);
      return pod;
    });
    expect(recordOf(restarted)?.process?.pid).not.toBe(pid);
  });

  it('has what was deleted meanwhile ended and removed, and what was made meanwhile started', async () => {
    await client.create(POD, whoami('goes'));
    const goes = await ready('goes');
    const pid = recordOf(goes)?.process?.pid ?? 0;
    await killNode();
    await client.delete(POD, { namespace, name: 'goes' }, { gracePeriodSeconds: 0 });
    await client.create(POD, whoami('comes'));
    node = await startNode();
    await ready('comes');
    expect(existsSync(`/proc/${pid}/cwd`) && recordOf(goes)).toBeFalsy();
    expect(existsSync(join(directory, 'data/pods', goes.metadata.uid ?? ''))).toBe(false);
  });

  it('finishes a deletion that it was killed in', async () => {
    await client.create(POD, whoami('ends'));
    const ends = await ready('ends');
    await killNode();
    await client.delete(POD, { namespace, name: 'ends' });
    node = await startNode();
    await eventually(async () => {
      const gone = await client.get(POD, { namespace, name: 'ends' }).then(
        () => false,
        (error: unknown) => isKubeError(error, 'NotFound'),
      );
      expect(gone).toBe(true);
    });
    await eventually(async () => expect(existsSync(join(directory, 'data/pods', ends.metadata.uid ?? ''))).toBe(false));
  });

  it('ends what runs without a record, and starts its pod anew', async () => {
    for (const name of ['unreadable', 'removed']) await client.create(POD, whoami(name));
    const [unreadable, removed] = [await ready('unreadable'), await ready('removed')];
    const pids = [unreadable, removed].map((pod) => recordOf(pod)?.process?.pid ?? 0);
    await killNode();
    writeFileSync(recordFile(unreadable), '{"attempt":0,"pha');
    rmSync(join(directory, 'data/pods', removed.metadata.uid ?? ''), { recursive: true });
    writeFileSync(join(directory, 'data/addresses.json'), '');
    node = await startNode();
    for (const [index, before] of [unreadable, removed].entries()) {
      const after = await eventually(async () => {
        const pod = await ready(before.metadata.name);
        expect(recordOf(pod)?.process?.pid).toBeGreaterThan(0);
        return pod;
      });
      expect(recordOf(after)?.process?.pid).not.toBe(pids[index]);
      expect(existsSync(`/proc/${pids[index]}/cwd`)).toBe(false);
      expect(after.status?.podIP).toBe(before.status?.podIP);
    }
  });
});
