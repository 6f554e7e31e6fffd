import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { reportAndExit, root, step } from '../../scripts/steps.mjs';
import type { Installation } from '../support/installation.ts';
import type { ClusterFile } from './cluster-file.ts';
import { type ClusterTools, clusterTools } from './helm.ts';
import { giveMachineAddress, takeMachineAddress } from './machine-address.ts';

/**
 * Berth in a cluster for tests, installed with its chart as people install it:
 *   node --import tsx test/cluster/install.ts --cluster DIR --to FILE      installs, and describes the installation in a file
 *   node --import tsx test/cluster/install.ts --cluster DIR --remove       takes it away, with what the chart leaves on purpose
 */
const NAMESPACE = 'berth-system';
const RELEASE = 'berth';
const HOST = 'berth.test';
const DOMAIN = 'apps.test';
const EMAIL = 'admin@berth.test';
const INSTALLED_WITHIN = '5m';
const DEFINITIONS = ['userdeployments.berth.dev'];

export const VALUES = {
  publicUrl: `https://${HOST}`,
  apps: { domain: DOMAIN, ingressClassName: 'traefik' },
  administrator: { email: EMAIL },
  database: { trial: { enabled: true, storage: '1Gi' } },
  ingress: { enabled: true, className: 'traefik', tls: { enabled: false } },
  secrets: { delivery: 'external-secrets' },
  server: { replicas: 2, plan: 'enterprise' },
  operator: { replicas: 2 },
};

export async function installBerth(cluster: ClusterFile): Promise<Installation> {
  const { nodeAddress, hostAddress, ingressCa, ingressMetrics } = cluster;
  if (!nodeAddress || !hostAddress || !ingressCa) throw new Error('Berth is installed where there is a node');
  const tools = clusterTools(cluster);
  const values = {
    ...VALUES,
    server: {
      ...VALUES.server,
      // All that comes from the node is the ingress controller's.
      trustedProxies: [`${nodeAddress.split('.').slice(0, 2).join('.')}.0.0/16`],
      routerMetricsUrl: ingressMetrics,
    },
  };
  const file = join(cluster.dir, 'values.json');
  writeFileSync(file, JSON.stringify(values, undefined, 2));
  const place = ['--namespace', NAMESPACE, '--create-namespace', '--values', file];
  const wait = ['--wait', '--wait-for-jobs', '--timeout', INSTALLED_WITHIN];
  await step('Installing Berth with its chart', () =>
    tools.helm('upgrade', '--install', RELEASE, join(root, 'deploy/chart'), ...place, ...wait),
  ).catch(async (error: Error) => {
    throw new Error(`${error.message}\n${await describe(tools)}`);
  });
  return {
    url: VALUES.publicUrl,
    domain: DOMAIN,
    kubeconfig: cluster.kubeconfig,
    namespace: NAMESPACE,
    release: RELEASE,
    administrator: { email: EMAIL, password: await secretOf(tools, `${RELEASE}-keys`, 'admin-password') },
    database: {
      pod: `${RELEASE}-postgres-0`,
      port: 5432,
      user: 'berth',
      password: await secretOf(tools, `${RELEASE}-database`, 'password'),
      name: 'berth',
    },
    metricsPort: 9090,
    address: nodeAddress,
    authority: ingressCa,
    machineAddress: await giveMachineAddress(),
  };
}

/** Also what the chart leaves so that nobody loses anything by a slip: definitions with all that is of them, namespaces, volumes, keys. */
export async function uninstallBerth(cluster: ClusterFile): Promise<void> {
  const { helm, kubectl } = clusterTools(cluster);
  await step('Uninstalling Berth', async () => {
    await helm('uninstall', RELEASE, '--namespace', NAMESPACE, '--ignore-not-found', '--wait', '--timeout', '2m');
    await kubectl('delete', 'namespace', '-l', 'berth.dev/team', '--wait=false');
    await kubectl('delete', 'namespace', NAMESPACE, '--ignore-not-found', '--timeout=120s');
    await kubectl('delete', 'customresourcedefinition', ...DEFINITIONS, '--ignore-not-found', '--timeout=60s');
  });
  await takeMachineAddress();
}

async function secretOf({ kubectl }: ClusterTools, name: string, key: string): Promise<string> {
  const { data } = JSON.parse(await kubectl('-n', NAMESPACE, 'get', 'secret', name, '-o', 'json')) as {
    data: Record<string, string>;
  };
  const value = data[key];
  if (value === undefined) throw new Error(`the Secret ${name} has no ${key}`);
  return Buffer.from(value, 'base64').toString();
}

/** Why it does not come up, in the words of the cluster. */
async function describe({ kubectl }: ClusterTools): Promise<string> {
  const questions = [
    ['get', 'pods,jobs,persistentvolumeclaims', '-o', 'wide'],
    ['get', 'events', '--sort-by=.lastTimestamp'],
    ['logs', '-l', `app.kubernetes.io/instance=${RELEASE}`, '--all-containers', '--prefix', '--tail=30'],
  ];
  const answers: string[] = [];
  for (const question of questions) {
    const answer = await kubectl('-n', NAMESPACE, ...question).catch((error: Error) => error.message);
    answers.push(`--- kubectl ${question.join(' ')}\n${answer.split('\n').slice(-60).join('\n')}`);
  }
  return answers.join('\n');
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { cluster: { type: 'string' }, to: { type: 'string' }, remove: { type: 'boolean', default: false } },
  });
  if (values.cluster === undefined || (values.to === undefined) === !values.remove)
    throw new Error('write: install.ts --cluster DIR, and --to FILE or --remove');
  const cluster = JSON.parse(readFileSync(resolve(values.cluster, 'cluster.json'), 'utf8')) as ClusterFile;
  if (values.to === undefined) return uninstallBerth(cluster);
  rmSync(values.to, { force: true });
  writeFileSync(values.to, JSON.stringify(await installBerth(cluster), undefined, 2), { mode: 0o600 });
}

if (process.argv[1] === import.meta.filename) await main().catch(reportAndExit);
