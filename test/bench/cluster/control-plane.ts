import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeConfig } from '@berth/kube/client/client';
import { createKubeClient } from '@berth/kube/client/http-client';
import { loadKubeConfig } from '@berth/kube/client/kubeconfig';
import { CLUSTER_ROLE_BINDING, SERVICE_ACCOUNT } from '@berth/kube/schema/resources';
import type { Built } from '../../cluster/build.ts';
import { down } from '../../cluster/down.ts';
import { findProcesses } from '../../cluster/processes.ts';
import { up } from '../../cluster/up.ts';
import { freePort } from '../bench-server.ts';
import { processorSecondsOf } from './processor-time.ts';

/** A real control plane without a node, on its own. */
export interface ControlPlane {
  config: KubeConfig;
  auditLog: string;
  /** A kubeconfig file of a service account of its own, which may do everything; the audit log calls it `userOf(name)`. */
  accountFile(name: string): Promise<string>;
  /** Of all its processes together, so far. */
  processorSeconds(): number;
  stop(): Promise<void>;
}

const NAMESPACE = 'default';
const TOKEN_SECONDS = 86_400;

export const userOf = (account: string): string => `system:serviceaccount:${NAMESPACE}:${account}`;

export async function startControlPlane(built: Built): Promise<ControlPlane> {
  const dir = await mkdtemp(join(tmpdir(), 'cluster-bench-'));
  const cluster = { dir, node: false, port: await freePorts(), network: '10.201', apiserverFlags: [] };
  const stop = () => down(cluster);
  try {
    const { kubeconfig, auditLog } = await up(cluster, built);
    const config = await loadKubeConfig({ path: kubeconfig });
    return {
      config,
      auditLog,
      stop,
      processorSeconds: () => findProcesses(dir).reduce((total, { pid }) => total + processorSecondsOf(pid), 0),
      accountFile: (name) => makeAccount(config, name, join(dir, `${name}.kubeconfig`)),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The apiserver's; the four after it are taken too. */
async function freePorts(): Promise<number> {
  const port = await freePort();
  return port > 65_000 ? freePorts() : port;
}

async function makeAccount(config: KubeConfig, name: string, file: string): Promise<string> {
  const client = createKubeClient(config);
  try {
    await client.create(SERVICE_ACCOUNT, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name, namespace: NAMESPACE },
    });
    await client.create(CLUSTER_ROLE_BINDING, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', name, namespace: NAMESPACE }],
    });
    const path = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/${name}/token`;
    const request = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: TOKEN_SECONDS },
    };
    const headers = { 'content-type': 'application/json' };
    const answer = await client.raw('POST', path, { body: JSON.stringify(request), headers });
    const { token } = (JSON.parse(await answer.text()) as { status: { token: string } }).status;
    await writeFile(file, kubeconfigOf(config, token), { mode: 0o600 });
    return file;
  } finally {
    await client.close();
  }
}

function kubeconfigOf({ server, ca = '' }: KubeConfig, token: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'bench', cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') } },
    ],
    users: [{ name: 'bench', user: { token } }],
    contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench' } }],
    'current-context': 'bench',
  });
}
