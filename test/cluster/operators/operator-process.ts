import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { KubeClient } from '@berth/kube/client/client';
import { loadKubeConfig } from '@berth/kube/client/kubeconfig';
import type { KubeObject, ResourceType } from '@berth/kube/schema/object';
import { CLUSTER_ROLE, CLUSTER_ROLE_BINDING, LEASE, NAMESPACE, SERVICE_ACCOUNT } from '@berth/kube/schema/resources';
import { isKubeError } from '@berth/kube/schema/status';
import type { PolicyRule } from '@berth/server/kubernetes/policy-rule';
import { OPERATOR_RIGHTS } from '@berth/server/operator/rbac';
import { OPERATOR_LEASE } from '@berth/server/operator/register';
import { stringify } from 'yaml';
import type { ControlPlane } from './control-plane.ts';
import { type HeldLine, openLine } from './held-line.ts';

/** An operator in a process of its own, under a service account of its own: the audit log tells two of them apart. */
export interface OperatorProcess {
  name: string;
  /** As the audit log has it. */
  user: string;
  /** Its way to the apiserver. */
  line: HeldLine;
  start(): void;
  isAlive(): boolean;
  signal(name: NodeJS.Signals): void;
  /** Resolves when it is gone. */
  end(signal: NodeJS.Signals): Promise<void>;
  log(): Promise<string>;
}

const PLACE = 'berth';
const MAIN = fileURLToPath(new URL('../../../packages/server/src/main.ts', import.meta.url));
const ROLE = 'berth-operator';

/** What the chart makes for operators: their namespace and their rights, and not one right more. */
export async function prepareOperators({ client }: ControlPlane): Promise<void> {
  const rules = [...OPERATOR_RIGHTS.teams, ...OPERATOR_RIGHTS.cluster, ...OPERATOR_RIGHTS.own].map(plainRule);
  await apply(client, NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: PLACE } });
  await apply(client, CLUSTER_ROLE, { ...rbac('ClusterRole', ROLE), rules });
}

export async function makeOperator({ client, file }: ControlPlane, name: string): Promise<OperatorProcess> {
  const account = `operator-${name}`;
  const metadata = { name: account, namespace: PLACE };
  await apply(client, SERVICE_ACCOUNT, { apiVersion: 'v1', kind: 'ServiceAccount', metadata });
  await apply(client, CLUSTER_ROLE_BINDING, {
    ...rbac('ClusterRoleBinding', account),
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: ROLE },
    subjects: [{ kind: 'ServiceAccount', ...metadata }],
  });
  const kubeconfig = join(file.dir, `${account}.kubeconfig`);
  const config = await loadKubeConfig({ path: file.kubeconfig });
  const { hostname: host, port } = new URL(config.server);
  const line = await openLine({ host, port: Number(port) });
  const server = `https://127.0.0.1:${line.port}`;
  await writeFile(kubeconfig, kubeconfigOf({ server, ca: config.ca ?? '', token: await tokenOf(client, account) }));
  const log = join(file.dir, `${account}.log`);
  let child: ChildProcess | undefined;
  const isAlive = () => child !== undefined && child.exitCode === null && child.signalCode === null;
  return {
    name,
    user: `system:serviceaccount:${PLACE}:${account}`,
    line,
    isAlive,
    start() {
      const output = openSync(log, 'a');
      child = spawn(process.execPath, ['--import', 'tsx', MAIN, 'operator'], {
        stdio: ['ignore', output, output],
        env: { PATH: process.env.PATH ?? '', KUBECONFIG: kubeconfig, ...SETTINGS },
      });
      closeSync(output);
    },
    signal: (signal) => void child?.kill(signal),
    async end(signal) {
      if (!child || !isAlive()) return;
      const gone = new Promise((resolve) => child?.once('exit', resolve));
      child.kill(signal);
      // One that is frozen hears nothing.
      child.kill('SIGCONT');
      await gone;
    },
    log: () => readFile(log, 'utf8'),
  };
}

/** The name of who leads now. */
export async function leaderOf(client: KubeClient): Promise<string> {
  try {
    const lease = await client.get<KubeObject>(LEASE, { name: OPERATOR_LEASE, namespace: PLACE });
    return (lease.spec as { holderIdentity?: string } | undefined)?.holderIdentity ?? '';
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return '';
    throw error;
  }
}

const SETTINGS = {
  BERTH_PUBLIC_URL: 'https://berth.test',
  BERTH_PUBLIC_PORT: '443',
  BERTH_LEASE_NAMESPACE: PLACE,
  BERTH_INSTALL_DEFINITIONS: 'false',
  BERTH_SECRETS_DELIVERY: 'built-in',
  BERTH_LOG_LEVEL: 'debug',
};

function apply(client: KubeClient, type: ResourceType, object: KubeObject & Record<string, unknown>) {
  return client.apply(type, object, { fieldManager: 'test', force: true });
}

function rbac(kind: string, name: string): KubeObject {
  return { apiVersion: 'rbac.authorization.k8s.io/v1', kind, metadata: { name } };
}

function plainRule({ apiGroups, resources, verbs, resourceNames }: PolicyRule) {
  return { apiGroups, resources, verbs, ...(resourceNames && { resourceNames }) };
}

async function tokenOf(client: KubeClient, account: string): Promise<string> {
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 7200 } };
  const path = `/api/v1/namespaces/${PLACE}/serviceaccounts/${account}/token`;
  const headers = { 'content-type': 'application/json' };
  const answer = await client.raw('POST', path, { body: JSON.stringify(request), headers });
  return (JSON.parse(await answer.text()) as { status: { token: string } }).status.token;
}

function kubeconfigOf({ server, ca, token }: { server: string; ca: string; token: string }): string {
  const authority = Buffer.from(ca).toString('base64');
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    clusters: [{ name: 'test', cluster: { server, 'certificate-authority-data': authority } }],
    users: [{ name: 'test', user: { token } }],
  });
}
