import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { namespaceOf } from '@berth/core/names';
import type { UserDeploymentSpec } from '@berth/core/user-deployment';
import type { KubeClient } from '@berth/kube/client/client';
import { createKubeClient } from '@berth/kube/client/http-client';
import { loadKubeConfig } from '@berth/kube/client/kubeconfig';
import type { Pod } from '@berth/kube/schema/kinds/pod';
import { DEPLOYMENT, NAMESPACE, NETWORK_POLICY, POD } from '@berth/kube/schema/resources';
import { namespaceObjects } from '@berth/server/deployment/namespace';
import { desiredChildren } from '@berth/server/operator/user-deployment/desired/desired-children';
import { isSettled } from '@berth/server/operator/user-deployment/readiness';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ClusterFile } from './cluster-file.ts';
import { until } from './until.ts';

/**
 * Who reaches whom on a cluster with a node, with the objects that the platform makes and no other. That nothing comes through says
 * little by itself, so in the end the policies are taken away and the same connections must open.
 *
 *     team one     shop: web (public, 8080) and db (its own, 8080)      blog: web
 *     team two     bank: web and db
 *     outside      a pod in a namespace of no team, as an ingress controller or monitoring has
 */
const DIRECTORY =
  process.env.BERTH_CLUSTER_DIR || join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'berth/cluster');
const RUNS = randomBytes(3).toString('hex');
const ONE = `one${RUNS}`;
const TWO = `two${RUNS}`;
const OUTSIDE = `isolation-${RUNS}`;
const SETTLES_WITHIN_MS = 60_000;
const ANSWERS_WITHIN_MS = 2_000;
/** Ends with 0 when somebody takes the connection. */
const CONNECT = `
const [host, port, timeout] = process.argv.slice(1);
const end = (code) => () => process.exit(code);
require('node:net').connect({ host, port, timeout: Number(timeout) }, end(0)).on('timeout', end(3)).on('error', end(4));
`;

interface Place {
  namespace: string;
  deployment: string;
}

const file = JSON.parse(readFileSync(join(DIRECTORY, 'cluster.json'), 'utf8')) as ClusterFile;
let client: KubeClient;

beforeAll(async () => {
  client = createKubeClient(await loadKubeConfig({ path: file.kubeconfig }));
  for (const team of [ONE, TWO]) {
    const delivery = { url: 'https://127.0.0.1:1', authority: 'none' };
    // No secret is asked for, so a cluster without stores does as well.
    const objects = namespaceObjects({ teamId: team, namespace: namespaceOf(team), plan: 'enterprise' }, delivery);
    for (const { type, object } of objects.filter((each) => each.type.kind !== 'SecretStore')) {
      await client.apply(type, object, { fieldManager: 'test', force: true });
    }
  }
  await client.create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: OUTSIDE } });
  for (const team of [ONE, TWO])
    await whenThere(() => kubectl(['get', 'serviceaccount', 'default', '-n', namespaceOf(team)]));
  await deploy(ONE, 'shop', `shop-${RUNS}.apps.test`);
  await deploy(ONE, 'blog');
  await deploy(TWO, 'bank');
  await kubectl(['run', 'probe', '-n', OUTSIDE, '--image=berth.dev/whoami:1', '--env=PORT=8080']);
  for (const namespace of [namespaceOf(ONE), namespaceOf(TWO)]) {
    expect(await until(() => allReady(namespace), 120_000)).toBe(true);
  }
  await kubectl(['wait', 'pod/probe', '-n', OUTSIDE, '--for=condition=Ready', '--timeout=60s']);
}, 300_000);

afterAll(async () => {
  for (const name of [namespaceOf(ONE), namespaceOf(TWO), OUTSIDE]) await client.delete(NAMESPACE, { name });
  await client.close();
}, 60_000);

describe('what a deployment declares is open', () => {
  test('its services reach each other by name', async () => {
    await expectOpen('shop-web', 'shop-db:8080');
  });

  test('names are resolved', async () => {
    expect(await run('shop-web', ['nslookup', 'kubernetes.default.svc.cluster.local'])).toBe(true);
  });

  test('its address answers through the ingress controller', async () => {
    const answers = async () => (await statusOf(`shop-${RUNS}.apps.test`)) === 200;
    expect(await until(answers, SETTLES_WITHIN_MS)).toBe(true);
  });

  test('what is in no team reaches its public port, and no other service of it', async () => {
    await expectOpen('outside', `shop-web.${namespaceOf(ONE)}:8080`);
    await expectClosed('outside', `shop-db.${namespaceOf(ONE)}:8080`);
  });
});

describe('nothing else is', () => {
  test('no pod of another team, by name or by address', async () => {
    for (const target of [`bank-web.${namespaceOf(TWO)}:8080`, `bank-db.${namespaceOf(TWO)}:8080`]) {
      await expectClosed('shop-web', target);
    }
    await expectClosed('shop-web', `${await addressOf(namespaceOf(TWO), 'bank-db')}:8080`);
  });

  test('no other deployment of its own team', async () => {
    await expectClosed('shop-web', 'blog-web:8080');
    await expectClosed('blog-web', 'shop-db:8080');
  });

  test('no node: neither its kubelet nor what else listens there', async () => {
    for (const port of [10250, 80, 443]) await expectClosed('shop-web', `${file.nodeAddress}:${port}`);
  });

  test('no apiserver, and no metadata of a cloud', async () => {
    await expectClosed('shop-web', 'kubernetes.default:443');
    await expectClosed('shop-web', '169.254.169.254:80');
  });
});

describe('it is the policies that close it', () => {
  test('without those of both teams the same connections open', async () => {
    for (const namespace of [namespaceOf(ONE), namespaceOf(TWO)]) {
      const { items } = await client.list(NETWORK_POLICY, { namespace });
      expect(items.length).toBeGreaterThan(1);
      for (const { metadata } of items) await client.delete(NETWORK_POLICY, { name: metadata.name, namespace });
    }
    await expectOpen('shop-web', `bank-db.${namespaceOf(TWO)}:8080`);
    await expectOpen('shop-web', 'blog-web:8080');
    for (const port of [10250, 80, 443]) await expectOpen('shop-web', `${file.nodeAddress}:${port}`);
    await expectOpen('shop-web', 'kubernetes.default:443');
    await expectOpen('outside', `shop-db.${namespaceOf(ONE)}:8080`);
  });
});

/** What the operator makes of a UserDeployment. Without an owner: nothing here is the operator's, and the collector leaves it alone. */
async function deploy(team: string, deployment: string, host?: string): Promise<void> {
  const place: Place = { namespace: namespaceOf(team), deployment };
  const spec = specOf(host);
  const children = desiredChildren({
    owner: { name: deployment, namespace: place.namespace, uid: 'none', team },
    spec,
    specHash: '',
    secretVersion: undefined,
    grantedHosts: host === undefined ? [] : [host],
    claimSizes: new Map(),
    templateHashes: new Map(),
    options: { ingressClassName: 'traefik' },
  });
  for (const { type, object } of children) {
    const { ownerReferences: _owner, ...metadata } = object.metadata;
    await client.apply(type, { ...object, metadata }, { fieldManager: 'test', force: true });
  }
}

function specOf(host: string | undefined): UserDeploymentSpec {
  const service = {
    image: 'berth.dev/whoami:1',
    env: [{ name: 'PORT', value: '8080' }],
    ports: [{ name: 'http', port: 8080 }],
    probes: { readiness: { http: { path: '/healthz', port: 'http' }, periodSeconds: 1 } },
    resources: { requests: { cpu: '10m', memory: '32Mi' } },
  };
  return {
    services: [
      { name: 'web', ...service },
      { name: 'db', ...service },
    ],
    ...(host !== undefined && { exposure: [{ host, service: 'web', port: 'http' }] }),
  };
}

async function allReady(namespace: string): Promise<boolean> {
  const { items } = await client.list<Parameters<typeof isSettled>[0]>(DEPLOYMENT, { namespace });
  return items.length > 0 && items.every(isSettled);
}

async function addressOf(namespace: string, deployment: string): Promise<string> {
  const { items } = await client.list<Pod>(POD, { namespace });
  const pod = items.find(({ metadata }) => metadata.name.startsWith(`${deployment}-`));
  const { podIP } = (pod?.status ?? {}) as { podIP?: string };
  if (podIP === undefined) throw new Error(`${namespace} has no pod of ${deployment} with an address`);
  return podIP;
}

async function expectOpen(from: string, target: string): Promise<void> {
  expect(await until(() => connects(from, target), SETTLES_WITHIN_MS), `${from} reaches ${target}`).toBe(true);
}

/** A policy takes hold a moment after its pod has come. */
async function expectClosed(from: string, target: string): Promise<void> {
  const closed = async () => !(await connects(from, target));
  expect(await until(closed, SETTLES_WITHIN_MS), `${from} does not reach ${target}`).toBe(true);
}

function connects(from: string, target: string): Promise<boolean> {
  const [host = '', port = ''] = target.split(':');
  return run(from, ['node', '-e', CONNECT, host, port, String(ANSWERS_WITHIN_MS)]);
}

/** In a pod of team one, or in the one outside. */
async function run(from: string, command: string[]): Promise<boolean> {
  const place = from === 'outside' ? ['-n', OUTSIDE, 'pod/probe'] : ['-n', namespaceOf(ONE), `deployment/${from}`];
  try {
    await kubectl(['exec', ...place, '--', ...command]);
    return true;
  } catch (error) {
    // The command's own exit code; kubectl says of every other failure what it is.
    if (/command terminated with exit code/.test(String(error))) return false;
    throw error;
  }
}

function kubectl(parameters: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const program = join(file.bin, 'kubectl');
    execFile(program, ['--kubeconfig', file.kubeconfig, ...parameters], (error, output, errors) => {
      if (error) reject(new Error(`kubectl ${parameters.join(' ')}: ${errors || error.message}`));
      else resolve(output);
    });
  });
}

/** The controller of namespaces makes what a pod needs a moment later. */
async function whenThere(look: () => Promise<unknown>): Promise<void> {
  const there = () =>
    look().then(
      () => true,
      () => false,
    );
  expect(await until(there, SETTLES_WITHIN_MS)).toBe(true);
}

function statusOf(host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: file.nodeAddress, port: 80, headers: { host } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    asked.once('error', reject);
    asked.end();
  });
}
