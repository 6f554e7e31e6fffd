import { API_VERSION, CONDITIONS, SERVER_MANAGER, type UserDeploymentSpec } from '@berth/core/user-deployment';
import type { KubeClient } from '@berth/kube/client/client';
import type { KubeObject, ResourceType } from '@berth/kube/schema/object';
import { CONFIG_MAP, DEPLOYMENT, INGRESS, NAMESPACE, NETWORK_POLICY, SERVICE } from '@berth/kube/schema/resources';
import { USER_DEPLOYMENT } from '@berth/server/kubernetes/resource-types';

/** What is made of each; a stopped one has all but the Deployment. */
export const CHILD_KINDS: readonly ResourceType[] = [NETWORK_POLICY, CONFIG_MAP, SERVICE, DEPLOYMENT, INGRESS];
export const IDLE_KINDS = CHILD_KINDS.filter((type) => type !== DEPLOYMENT);

const PER_NAMESPACE = 100;
/** Requests on their way at any time. */
const AT_ONCE = 16;

export async function makeNamespaces(client: KubeClient, deployments: number): Promise<void> {
  for (let at = 0; at < deployments; at += PER_NAMESPACE) {
    await client.create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespaceOf(at) } });
  }
}

/** Makes so many and admits each, as the server does. */
export async function makeDeployments(
  client: KubeClient,
  { from = 0, count, desired }: { from?: number; count: number; desired: 'running' | 'stopped' },
): Promise<void> {
  const numbers = Array.from({ length: count }, (_, index) => from + index).values();
  const worker = async () => {
    for (const at of numbers) await makeDeployment(client, at, desired);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

async function makeDeployment(client: KubeClient, at: number, desired: 'running' | 'stopped'): Promise<void> {
  const metadata = { name: `app-${at}`, namespace: namespaceOf(at) };
  const resource = { apiVersion: API_VERSION, kind: USER_DEPLOYMENT.kind, metadata };
  await client.apply<KubeObject>(USER_DEPLOYMENT, { ...resource, spec: specOf(at, desired) }, BY_SERVER);
  await client.apply<KubeObject>(USER_DEPLOYMENT, { ...resource, status: grantOf(at) }, GRANT);
}

const BY_SERVER = { fieldManager: SERVER_MANAGER, force: true } as const;
const GRANT = { ...BY_SERVER, subresource: 'status' } as const;

function namespaceOf(at: number): string {
  return `bench-${Math.floor(at / PER_NAMESPACE)}`;
}

function specOf(at: number, desired: 'running' | 'stopped'): UserDeploymentSpec {
  return {
    desired,
    services: [
      {
        name: 'web',
        image: 'berth.dev/whoami:1',
        ports: [{ name: 'http', port: 8080 }],
        env: [
          { name: 'GREETING', value: `hello from ${at}` },
          { name: 'LEVEL', value: 'info' },
        ],
        files: [
          { path: '/etc/app/app.json', content: JSON.stringify({ at, lines: 'a line of settings\n'.repeat(8) }) },
        ],
        probes: { readiness: { http: { path: '/', port: 'http' } } },
        resources: { requests: { cpu: '10m', memory: '32Mi' }, limits: { memory: '64Mi' } },
      },
    ],
    exposure: [{ host: hostOf(at), service: 'web', port: 'http' }],
  };
}

function hostOf(at: number): string {
  return `app-${at}.apps.example.com`;
}

function grantOf(at: number) {
  const granted = { status: 'True', message: '', lastTransitionTime: new Date().toISOString() };
  return {
    grantedHosts: [hostOf(at)],
    conditions: [
      { type: CONDITIONS.admitted, reason: 'WithinPlan', ...granted },
      { type: CONDITIONS.hostsClaimed, reason: 'Claimed', ...granted },
    ],
  };
}

/** How many there are of a kind in the whole cluster, without reading them all. */
export async function countOf(client: KubeClient, type: ResourceType): Promise<number> {
  const { items, metadata } = await client.list(type, { limit: 1 });
  return items.length + (metadata.remainingItemCount ?? 0);
}
