import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addressesOf, type Cluster, certificatePaths, kubeconfigPath, logPath, NODE_NAME } from '../cluster.ts';
import type { Part, PartInputs } from '../part.ts';
import { COREDNS, EXTERNAL_SECRETS, METRICS_SERVER, TRAEFIK } from '../programs.ts';

/** What people expect of a cluster beside Kubernetes itself. They are processes of the node, not pods: no image has to be made for them. */
export function addOnParts(inputs: PartInputs): Part[] {
  return [coredns(inputs), metricsServer(inputs), traefik(inputs), externalSecrets(inputs), volumes(inputs)];
}

export const METRICS_SERVER_PORT = 4443;
const TRAEFIK_PORT = 8090;

export function ingressMetrics(cluster: Cluster): string {
  return `http://${addressesOf(cluster).node}:${TRAEFIK_PORT}/metrics`;
}

function coredns({ cluster, built }: PartInputs): Part {
  return {
    name: 'coredns',
    program: 'coredns',
    version: COREDNS.version,
    health: `http://${addressesOf(cluster).node}:8181/ready`,
    command: [built.coredns!, '-conf', join(cluster.dir, 'node/Corefile')],
  };
}

function metricsServer({ cluster, built }: PartInputs): Part {
  const kubeconfig = kubeconfigPath(cluster, 'metrics-server');
  const { certificate, key } = certificatePaths(cluster, 'metrics-server-server');
  return {
    name: 'metrics-server',
    program: 'metrics-server',
    version: METRICS_SERVER.version,
    health: `https://${addressesOf(cluster).node}:${METRICS_SERVER_PORT}/livez`,
    command: [
      built['metrics-server']!,
      `--kubeconfig=${kubeconfig}`,
      `--authentication-kubeconfig=${kubeconfig}`,
      `--authorization-kubeconfig=${kubeconfig}`,
      `--secure-port=${METRICS_SERVER_PORT}`,
      `--tls-cert-file=${certificate}`,
      `--tls-private-key-file=${key}`,
      '--kubelet-preferred-address-types=InternalIP',
      `--kubelet-certificate-authority=${certificatePaths(cluster, 'ca').certificate}`,
      // It must be longer than the ten seconds that a kubelet is given to answer.
      '--metric-resolution=15s',
    ],
  };
}

function traefik({ cluster, built }: PartInputs): Part {
  const { node } = addressesOf(cluster);
  return {
    name: 'traefik',
    program: 'traefik',
    version: TRAEFIK.version,
    needsDefinitions: true,
    health: `http://${node}:${TRAEFIK_PORT}/ping`,
    environment: { KUBECONFIG: kubeconfigPath(cluster, 'traefik') },
    command: [
      built.traefik!,
      `--entrypoints.web.address=${node}:80`,
      `--entrypoints.websecure.address=${node}:443`,
      '--entrypoints.websecure.http.tls=true',
      `--entrypoints.traefik.address=${node}:${TRAEFIK_PORT}`,
      '--providers.kubernetesingress=true',
      `--providers.kubernetesingress.ingressendpoint.ip=${node}`,
      '--providers.kubernetesgateway=true',
      `--providers.kubernetesgateway.statusaddress.ip=${node}`,
      `--providers.file.filename=${join(cluster.dir, 'node/traefik.yaml')}`,
      '--ping=true',
      '--metrics.prometheus=true',
      '--metrics.prometheus.addrouterslabels=true',
      '--accesslog=true',
      '--accesslog.format=json',
      `--accesslog.filepath=${logPath(cluster, 'requests.log')}`,
      '--log.level=INFO',
      '--log.nocolor=true',
      '--global.checknewversion=false',
      '--global.sendanonymoususage=false',
    ],
  };
}

function externalSecrets({ cluster, built }: PartInputs): Part {
  const { node } = addressesOf(cluster);
  return {
    name: 'external-secrets',
    program: 'external-secrets',
    version: EXTERNAL_SECRETS.version,
    needsDefinitions: true,
    health: `http://${node}:18081/metrics`,
    environment: { KUBECONFIG: kubeconfigPath(cluster, 'external-secrets') },
    command: [
      built['external-secrets']!,
      `--metrics-addr=${node}:18081`,
      '--enable-push-secret-reconciler=false',
      '--loglevel=info',
    ],
  };
}

function volumes({ cluster }: PartInputs): Part {
  const program = fileURLToPath(new URL('../volumes.ts', import.meta.url));
  return {
    name: 'volumes',
    program: 'node',
    version: 'ours',
    note: 'StorageClass standard',
    command: [
      process.execPath,
      '--import',
      import.meta.resolve('tsx'),
      program,
      kubeconfigPath(cluster, 'volumes'),
      NODE_NAME,
      join(cluster.dir, 'volumes'),
    ],
  };
}
