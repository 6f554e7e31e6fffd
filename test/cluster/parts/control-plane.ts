import { join } from 'node:path';
import { addressesOf, CLUSTER_DOMAIN, certificatePaths, kubeconfigPath, listenAddress, logPath } from '../cluster.ts';
import type { Part, PartInputs } from '../part.ts';
import { ETCD, KUBERNETES } from '../programs.ts';

/** Etcd, apiserver, controllers and scheduler. Without a node they are plain processes of this machine and listen on its loopback address. */
export function controlPlaneParts(inputs: PartInputs): Part[] {
  return [etcd(inputs), apiserver(inputs), controllerManager(inputs), scheduler(inputs)];
}

/** `port` is the apiserver's; the others follow it, so that control planes stand side by side. */
function portsOf(port: number) {
  return { etcd: port + 1, etcdPeers: port + 2, controllerManager: port + 3, scheduler: port + 4 };
}

function etcd({ cluster, built }: PartInputs): Part {
  const ports = portsOf(cluster.port);
  const clients = `http://127.0.0.1:${ports.etcd}`;
  const peers = `http://127.0.0.1:${ports.etcdPeers}`;
  return {
    name: 'etcd',
    program: 'etcd',
    version: ETCD.version,
    first: true,
    command: [
      built.etcd!,
      `--data-dir=${join(cluster.dir, 'etcd')}`,
      `--listen-client-urls=${clients}`,
      `--advertise-client-urls=${clients}`,
      `--listen-peer-urls=${peers}`,
      `--initial-advertise-peer-urls=${peers}`,
      `--initial-cluster=default=${peers}`,
      // Processes are killed here, never the machine, and what was written survives that.
      '--unsafe-no-fsync=true',
      '--quota-backend-bytes=4294967296',
      '--log-level=warn',
    ],
  };
}

function apiserver({ cluster, built }: PartInputs): Part {
  const { services, node } = addressesOf(cluster);
  const pki = (name: string) => certificatePaths(cluster, name);
  const kubelet = pki('kubelet-client');
  const proxy = pki('front-proxy');
  return {
    name: 'apiserver',
    program: 'kube-apiserver',
    version: KUBERNETES.version,
    first: true,
    health: `https://${listenAddress(cluster)}:${cluster.port}/readyz`,
    command: [
      built['kube-apiserver']!,
      `--etcd-servers=http://127.0.0.1:${portsOf(cluster.port).etcd}`,
      `--secure-port=${cluster.port}`,
      `--bind-address=${cluster.node ? '0.0.0.0' : '127.0.0.1'}`,
      `--advertise-address=${node}`,
      // Without a node nothing would reach the Service `kubernetes` anyway.
      ...(cluster.node ? [] : ['--endpoint-reconciler-type=none']),
      `--tls-cert-file=${pki('apiserver').certificate}`,
      `--tls-private-key-file=${pki('apiserver').key}`,
      `--client-ca-file=${pki('ca').certificate}`,
      `--service-account-issuer=https://kubernetes.default.svc.${CLUSTER_DOMAIN}`,
      `--service-account-key-file=${pki('service-accounts').certificate}`,
      `--service-account-signing-key-file=${pki('service-accounts').key}`,
      `--service-cluster-ip-range=${services}`,
      '--authorization-mode=Node,RBAC',
      '--allow-privileged=true',
      '--enable-admission-plugins=NodeRestriction',
      // Else logs and exec would look the node's name up in DNS.
      '--kubelet-preferred-address-types=InternalIP',
      `--kubelet-client-certificate=${kubelet.certificate}`,
      `--kubelet-client-key=${kubelet.key}`,
      `--kubelet-certificate-authority=${pki('ca').certificate}`,
      `--requestheader-client-ca-file=${pki('ca').certificate}`,
      '--requestheader-allowed-names=front-proxy',
      '--requestheader-extra-headers-prefix=X-Remote-Extra-',
      '--requestheader-group-headers=X-Remote-Group',
      '--requestheader-username-headers=X-Remote-User',
      `--proxy-client-cert-file=${proxy.certificate}`,
      `--proxy-client-key-file=${proxy.key}`,
      `--audit-policy-file=${join(cluster.dir, 'audit-policy.yaml')}`,
      `--audit-log-path=${logPath(cluster, 'audit.log')}`,
      '--audit-log-maxsize=2000',
      ...cluster.apiserverFlags,
    ],
  };
}

function controllerManager({ cluster, built }: PartInputs): Part {
  const { pods, services } = addressesOf(cluster);
  const port = portsOf(cluster.port).controllerManager;
  const authority = certificatePaths(cluster, 'ca');
  return {
    name: 'controller-manager',
    program: 'kube-controller-manager',
    version: KUBERNETES.version,
    health: `https://${listenAddress(cluster)}:${port}/healthz`,
    command: [
      built['kube-controller-manager']!,
      `--kubeconfig=${kubeconfigPath(cluster, 'controller-manager')}`,
      `--bind-address=${listenAddress(cluster)}`,
      `--secure-port=${port}`,
      '--leader-elect=false',
      '--use-service-account-credentials=true',
      `--root-ca-file=${authority.certificate}`,
      `--service-account-private-key-file=${certificatePaths(cluster, 'service-accounts').key}`,
      `--cluster-signing-cert-file=${authority.certificate}`,
      `--cluster-signing-key-file=${authority.key}`,
      ...(cluster.node ? ['--allocate-node-cidrs=true'] : []),
      `--cluster-cidr=${pods}`,
      `--service-cluster-ip-range=${services}`,
    ],
  };
}

function scheduler({ cluster, built }: PartInputs): Part {
  const port = portsOf(cluster.port).scheduler;
  return {
    name: 'scheduler',
    program: 'kube-scheduler',
    version: KUBERNETES.version,
    health: `https://${listenAddress(cluster)}:${port}/healthz`,
    command: [
      built['kube-scheduler']!,
      `--kubeconfig=${kubeconfigPath(cluster, 'scheduler')}`,
      `--bind-address=${listenAddress(cluster)}`,
      `--secure-port=${port}`,
      '--leader-elect=false',
    ],
  };
}
