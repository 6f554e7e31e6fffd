import { join } from 'node:path';
import { addressesOf, kubeconfigPath, NODE_NAME } from '../cluster.ts';
import type { Part, PartInputs } from '../part.ts';
import { KUBE_ROUTER, KUBERNETES } from '../programs.ts';

/** What makes containers run and reach each other. */
export function nodeParts(inputs: PartInputs): Part[] {
  return [containerd(inputs), kubelet(inputs), kubeProxy(inputs), kubeRouter(inputs)];
}

function containerd({ cluster }: PartInputs): Part {
  return {
    name: 'containerd',
    program: 'containerd',
    version: '',
    first: true,
    command: ['containerd', '--config', join(cluster.dir, 'node/containerd.toml')],
  };
}

function kubelet({ cluster, built }: PartInputs): Part {
  const { node } = addressesOf(cluster);
  return {
    name: 'kubelet',
    program: 'kubelet',
    version: KUBERNETES.version,
    health: `http://${node}:10248/healthz`,
    command: [
      built.kubelet!,
      `--config=${join(cluster.dir, 'node/kubelet.yaml')}`,
      `--kubeconfig=${kubeconfigPath(cluster, 'kubelet')}`,
      `--root-dir=${join(cluster.dir, 'kubelet')}`,
      `--hostname-override=${NODE_NAME}`,
      `--node-ip=${node}`,
    ],
  };
}

function kubeProxy({ cluster, built }: PartInputs): Part {
  return {
    name: 'kube-proxy',
    program: 'kube-proxy',
    version: KUBERNETES.version,
    health: `http://${addressesOf(cluster).node}:10256/livez`,
    command: [built['kube-proxy']!, `--config=${join(cluster.dir, 'node/kube-proxy.yaml')}`],
  };
}

function kubeRouter({ cluster, built }: PartInputs): Part {
  return {
    name: 'kube-router',
    program: 'kube-router',
    version: KUBE_ROUTER.version,
    note: 'network policy',
    health: `http://${addressesOf(cluster).node}:20244/healthz`,
    environment: { NODE_NAME },
    command: [
      built['kube-router']!,
      `--kubeconfig=${kubeconfigPath(cluster, 'kube-router')}`,
      `--hostname-override=${NODE_NAME}`,
      '--run-firewall=true',
      '--run-router=false',
      '--run-service-proxy=false',
      '--run-loadbalancer=false',
      `--service-cluster-ip-range=${addressesOf(cluster).services}`,
      '--health-port=20244',
    ],
  };
}
