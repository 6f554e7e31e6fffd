import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { promisify } from 'node:util';
import type { KubeClient } from '@berth/kube/client/client';
import { createKubeClient } from '@berth/kube/client/http-client';
import { loadKubeConfig } from '@berth/kube/client/kubeconfig';
import { POD } from '@berth/kube/schema/resources';
import type { Page } from 'playwright-core';
import { testFolder, until } from './berth.ts';
import { type CommandPlace, runBerth } from './berth-command.ts';
import { objectsOfDeployments, podsOfDeployments } from './cluster-objects.ts';
import { containerProcesses } from './container-processes.ts';
import { containerIds, type Installation, type Role, roleSelector } from './installation.ts';
import { withLocalPort } from './local-port.ts';
import type { Platform } from './platform.ts';
import { leftRows } from './platform-rows.ts';
import { type RestApi, signInByRest } from './rest-api.ts';
import { visit } from './visit.ts';

const run = promisify(execFile);
const ROLLOUT_SECONDS = 120;

export interface ClusterPlatform extends Platform {
  /** What is behind it, for tests of the cluster's own. */
  installation: Installation;
  client: KubeClient;
}

/** The Berth that is installed in a cluster: every file that is tried on it is signed in as its administrator, and leaves it empty. */
export async function openClusterPlatform(options: {
  name: string;
  root: string;
  kubectlProgram: string;
  installation: Installation;
}): Promise<ClusterPlatform> {
  const { name, root, kubectlProgram, installation } = options;
  const { url, domain, kubeconfig, administrator } = installation;
  const folder = testFolder(`berth-${name}-`);
  const client = createKubeClient(await loadKubeConfig({ path: kubeconfig }));
  const api = await signInByRest(url, administrator);
  await removeDeployments(api);
  const command: CommandPlace = { root, url, configuration: join(folder, 'config') };
  const kubectl = async (...args: string[]) =>
    (await run(kubectlProgram, ['--kubeconfig', kubeconfig, ...args], { maxBuffer: 64 * 1024 * 1024 })).stdout;
  return {
    installation,
    client,
    url,
    domain,
    account: administrator.email,
    folder,
    nodeProgram: '/usr/local/bin/node',
    machineAddress: installation.machineAddress,
    browserArguments: await browserArguments(installation),
    api,
    app: (app, path = '/') => `https://${app}.${domain}${path}`,
    signIn: (page) => fillSignInForm(page, administrator),
    berthCommand: (...args) => runBerth(command, args),
    async signInCommand() {
      await runBerth(command, ['login', '--email', administrator.email], administrator.password);
    },
    kubectl,
    restart: () => restart(installation, kubectl),
    async kill(role) {
      for (const { pids } of await roleProcesses(client, installation, role)) process.kill(pids[0]!, 'SIGKILL');
    },
    pods: () => podsOfDeployments(client),
    serverMetrics: () => readServerMetrics(client, installation),
    left: () => leftInCluster(client, installation),
    describe: () => describeInstallation(installation, kubectl),
    async end() {
      await removeDeployments(api);
      await client.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The processes of each pod of a role, its first one first. */
export async function roleProcesses(
  client: KubeClient,
  installation: Installation,
  role: Role,
): Promise<{ pod: string; pids: number[] }[]> {
  const { items } = await client.list(POD, {
    namespace: installation.namespace,
    labelSelector: roleSelector(installation, role),
  });
  return items
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map((pod) => ({ pod: pod.metadata.name, pids: containerIds(pod).flatMap(containerProcesses) }));
}

/** What failed on an installation, in the words of its cluster. */
export async function describeInstallation(installation: Installation, kubectl: Platform['kubectl']): Promise<string> {
  const { namespace } = installation;
  const logs = (role: Role) => [
    '-n',
    namespace,
    'logs',
    '-l',
    roleSelector(installation, role),
    '--tail=40',
    '--prefix',
  ];
  const questions = [
    ['get', 'pods', '-A', '-o', 'wide'],
    ['get', 'events', '-A', '--sort-by=.lastTimestamp'],
    logs('server'),
    logs('operator'),
  ];
  const answers: string[] = [];
  for (const question of questions) {
    const answer = await kubectl(...question).catch((error: Error) => error.message);
    answers.push(`--- kubectl ${question.join(' ')}\n${answer.split('\n').slice(-80).join('\n')}`);
  }
  return answers.join('\n');
}

async function removeDeployments(api: RestApi): Promise<void> {
  const list = () => api.send<{ items: { id: string; desired: string }[] }>('GET', '/api/deployments?limit=500');
  for (const { id, desired } of (await list()).items)
    if (desired !== 'deleted') await api.send('DELETE', `/api/deployments/${id}`);
  await until('every deployment is gone', 90_000, async () => (await list()).items.length === 0);
}

async function fillSignInForm(page: Page, { email, password }: Installation['administrator']): Promise<void> {
  await page.goto('/');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor();
}

async function restart({ namespace, release, url }: Installation, kubectl: Platform['kubectl']): Promise<void> {
  const deployments = ['-n', namespace, '-l', `app.kubernetes.io/instance=${release}`];
  await kubectl('rollout', 'restart', 'deployment', ...deployments);
  await kubectl('rollout', 'status', 'deployment', ...deployments, `--timeout=${ROLLOUT_SECONDS}s`);
  await until('the platform answers', 30_000, async () => (await visit(`${url}/api/config`)).status === 200);
}

async function readServerMetrics(client: KubeClient, installation: Installation): Promise<string> {
  const { namespace, metricsPort } = installation;
  const { items } = await client.list(POD, { namespace, labelSelector: roleSelector(installation, 'server') });
  const texts = items.map(({ metadata }) =>
    withLocalPort(client, { namespace, pod: metadata.name, port: metricsPort }, async (port) => {
      const { status, text } = await visit(`http://127.0.0.1:${port}/metrics`, { headers: { connection: 'close' } });
      if (status !== 200) throw new Error(`the metrics of ${metadata.name}: ${status} ${text}`);
      return text;
    }),
  );
  return (await Promise.all(texts)).join('\n');
}

async function leftInCluster(client: KubeClient, { namespace, database }: Installation): Promise<string[]> {
  const { pod, port, user, password, name } = database;
  const rows = await withLocalPort(client, { namespace, pod, port }, (local) =>
    leftRows({ host: '127.0.0.1', port: local, user, password, database: name }),
  );
  const objects = await objectsOfDeployments(client);
  return [...objects.map(({ resource, object }) => `${resource} ${object.metadata.name}`), ...rows];
}

/**
 * A browser has no list of authorities that one could add to by an argument. It is told the one key of the certificate, which has been
 * verified here.
 */
async function browserArguments({ url, domain, address }: Installation): Promise<string[]> {
  const { hostname } = new URL(url);
  const key = await new Promise<Buffer>((resolve, reject) => {
    const socket = connect({ host: address, port: 443, servername: hostname }, () => {
      resolve(socket.getPeerX509Certificate()?.publicKey.export({ type: 'spki', format: 'der' }) ?? Buffer.alloc(0));
      socket.end();
    }).on('error', reject);
  });
  const rules = [hostname, `*.${domain}`].map((host) => `MAP ${host} ${address}`).join(',');
  return [
    `--host-resolver-rules=${rules}`,
    `--ignore-certificate-errors-spki-list=${createHash('sha256').update(key).digest('base64')}`,
  ];
}
