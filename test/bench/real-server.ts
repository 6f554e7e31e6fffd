import { type ChildProcess, spawn } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createKubeClient } from '@berth/kube/client/http-client';
import { openPki } from '@berth/kube/embedded/api/pki';
import { type BenchServer, freePort } from './bench-server.ts';

const START_DEADLINE_MS = 90_000;

/** A kube-apiserver and its etcd, as they are without any setting that is about speed. */
export async function startReal(folder: string): Promise<BenchServer> {
  const directory = await mkdtemp(join(tmpdir(), 'kube-bench-'));
  const file = (name: string) => join(directory, name);
  const pki = await openPki(directory, { now: Date.now(), addresses: ['127.0.0.1'] });
  const { certificate, key } = await pki.issue({ name: 'bench', groups: ['system:masters'] }, Date.now());
  const publicKey = createPublicKey(pki.tokenKey).export({ type: 'spki', format: 'pem' });
  await writeFile(file('service-account.pub'), publicKey);
  const [port, client, peer] = [await freePort(), await freePort(), await freePort()];
  const etcd = start(join(folder, 'etcd'), {
    '--data-dir': file('etcd'),
    '--listen-client-urls': `http://127.0.0.1:${client}`,
    '--advertise-client-urls': `http://127.0.0.1:${client}`,
    '--listen-peer-urls': `http://127.0.0.1:${peer}`,
    '--initial-advertise-peer-urls': `http://127.0.0.1:${peer}`,
    '--initial-cluster': `default=http://127.0.0.1:${peer}`,
  });
  const server = start(join(folder, 'kube-apiserver'), {
    '--etcd-servers': `http://127.0.0.1:${client}`,
    '--secure-port': String(port),
    '--bind-address': '127.0.0.1',
    '--advertise-address': '127.0.0.1',
    '--endpoint-reconciler-type': 'none',
    '--tls-cert-file': file('apiserver.crt'),
    '--tls-private-key-file': file('apiserver.key'),
    '--client-ca-file': file('ca.crt'),
    '--service-account-issuer': 'https://kubernetes.default.svc.cluster.local',
    '--service-account-key-file': file('service-account.pub'),
    '--service-account-signing-key-file': file('service-account.key'),
    '--service-cluster-ip-range': '10.96.0.0/16',
    '--authorization-mode': 'RBAC',
  });
  const config = {
    server: `https://127.0.0.1:${port}`,
    ca: pki.caCertificate,
    clientCertificate: certificate,
    clientKey: key,
  };
  const stop = async () => {
    await end(server);
    await end(etcd);
    await rm(directory, { recursive: true });
  };
  try {
    await ready(config, [etcd, server]);
  } catch (error) {
    await stop();
    throw error;
  }
  return { config, stop };
}

interface Program {
  process: ChildProcess;
  /** The end of what it said. */
  said(): string;
}

function start(program: string, settings: Record<string, string>): Program {
  const words = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  const child = spawn(program, words, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said = `${said}${chunk}`.slice(-2000);
  });
  return { process: child, said: () => said };
}

async function ready(config: BenchServer['config'], programs: Program[]): Promise<void> {
  const client = createKubeClient(config);
  const deadline = Date.now() + START_DEADLINE_MS;
  try {
    for (;;) {
      const answer = await client.raw('GET', '/readyz').catch(() => undefined);
      await answer?.text();
      if (answer?.status === 200) return;
      const ended = programs.find(({ process: child }) => child.exitCode !== null);
      if (ended) throw new Error(`a program ended by itself: ${ended.said()}`);
      if (Date.now() > deadline) throw new Error('kube-apiserver was not ready in time');
      await delay(200);
    }
  } finally {
    await client.close();
  }
}

async function end({ process: child }: Program): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await gone;
}
