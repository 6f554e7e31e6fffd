import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { stringify } from 'yaml';
import { ensureAuthority, ensureCertificate, ensureSigningKeys, type Wanted } from './certificates.ts';
import {
  addressesOf,
  apiserverAddress,
  CLUSTER_DOMAIN,
  type Cluster,
  certificatePaths,
  kubeconfigPath,
  NODE_NAME,
} from './cluster.ts';

const ADMINISTRATORS = 'system:masters';

/**
 * Who there is. Add-ons are administrators, each under a name of its own, so that the audit log tells them apart: what is tested is Berth's
 * rights, not theirs.
 */
const USERS: Record<string, Omit<Wanted, 'hosts' | 'addresses'>> = {
  admin: { commonName: 'admin', organization: ADMINISTRATORS },
  'controller-manager': { commonName: 'system:kube-controller-manager' },
  scheduler: { commonName: 'system:kube-scheduler' },
};
const USERS_OF_NODE: typeof USERS = {
  kubelet: { commonName: `system:node:${NODE_NAME}`, organization: 'system:nodes' },
  'kube-proxy': { commonName: 'system:kube-proxy' },
  coredns: { commonName: 'coredns', organization: ADMINISTRATORS },
  'metrics-server': { commonName: 'metrics-server', organization: ADMINISTRATORS },
  'kube-router': { commonName: 'kube-router', organization: ADMINISTRATORS },
  traefik: { commonName: 'traefik', organization: ADMINISTRATORS },
  'external-secrets': { commonName: 'external-secrets', organization: ADMINISTRATORS },
  volumes: { commonName: 'volumes', organization: ADMINISTRATORS },
};

export async function ensureCredentials(cluster: Cluster): Promise<void> {
  const { node, kubernetes } = addressesOf(cluster);
  const authority = certificatePaths(cluster, 'ca');
  await ensureAuthority(authority, 'kubernetes-ca');
  await ensureSigningKeys(certificatePaths(cluster, 'service-accounts'));
  const names = [
    'kubernetes',
    'kubernetes.default',
    'kubernetes.default.svc',
    `kubernetes.default.svc.${CLUSTER_DOMAIN}`,
  ];
  const issue = (name: string, wanted: Wanted) => ensureCertificate(certificatePaths(cluster, name), authority, wanted);
  await issue('apiserver', {
    commonName: 'kube-apiserver',
    hosts: [...names, 'localhost'],
    addresses: ['127.0.0.1', kubernetes, node],
  });
  await issue('kubelet-client', { commonName: 'kubelet-client', organization: ADMINISTRATORS });
  await issue('front-proxy', { commonName: 'front-proxy' });
  if (cluster.node) {
    await issue('kubelet-server', { commonName: NODE_NAME, hosts: [NODE_NAME], addresses: [node] });
    await issue('metrics-server-server', {
      commonName: 'metrics-server',
      hosts: ['metrics-server.kube-system.svc'],
      addresses: [node],
    });
    await ensureIngressCertificate(cluster);
  }
  for (const [user, wanted] of Object.entries({ ...USERS, ...(cluster.node ? USERS_OF_NODE : {}) })) {
    await issue(`user-${user}`, wanted);
    await ensureKubeconfig(cluster, user);
  }
}

/** Of an authority of its own: what a browser is to trust must vouch for nothing inside the cluster. */
async function ensureIngressCertificate(cluster: Cluster): Promise<void> {
  const authority = certificatePaths(cluster, 'ingress-ca');
  await ensureAuthority(authority, 'Berth test ingress');
  await ensureCertificate(certificatePaths(cluster, 'ingress'), authority, {
    commonName: 'berth.test',
    hosts: ['berth.test', '*.berth.test', '*.apps.test'],
    addresses: [addressesOf(cluster).node],
  });
}

async function ensureKubeconfig(cluster: Cluster, user: string): Promise<void> {
  const path = kubeconfigPath(cluster, user);
  const encode = async (file: string) => (await readFile(file)).toString('base64');
  const { certificate, key } = certificatePaths(cluster, `user-${user}`);
  const content = stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'berth-test',
    contexts: [{ name: 'berth-test', context: { cluster: 'berth-test', user } }],
    clusters: [
      {
        name: 'berth-test',
        cluster: {
          server: apiserverAddress(cluster),
          'certificate-authority-data': await encode(certificatePaths(cluster, 'ca').certificate),
        },
      },
    ],
    users: [
      {
        name: user,
        user: { 'client-certificate-data': await encode(certificate), 'client-key-data': await encode(key) },
      },
    ],
  });
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content, { mode: 0o600 });
}
