import { addressesOf, type Cluster } from './cluster.ts';
import { METRICS_SERVER_PORT } from './parts/add-ons.ts';
import { PROVISIONER, STORAGE_CLASS } from './volume.ts';

/** The objects by which pods find what runs as processes on the node. */
export function clusterObjects(cluster: Cluster): object[] {
  const { node, dns } = addressesOf(cluster);
  const dnsPorts = [
    { name: 'dns', port: 53, protocol: 'UDP' },
    { name: 'dns-tcp', port: 53, protocol: 'TCP' },
  ];
  return [
    ...serviceOfNode({ name: 'kube-dns', node, clusterIP: dns, ports: dnsPorts, endpoints: dnsPorts }),
    ...serviceOfNode({
      name: 'metrics-server',
      node,
      ports: [{ name: 'https', port: 443, targetPort: METRICS_SERVER_PORT, protocol: 'TCP' }],
      endpoints: [{ name: 'https', port: METRICS_SERVER_PORT, protocol: 'TCP' }],
    }),
    {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: 'v1beta1.metrics.k8s.io' },
      spec: {
        group: 'metrics.k8s.io',
        version: 'v1beta1',
        groupPriorityMinimum: 100,
        versionPriority: 100,
        insecureSkipTLSVerify: true,
        service: { name: 'metrics-server', namespace: 'kube-system' },
      },
    },
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IngressClass',
      metadata: { name: 'traefik', annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' } },
      spec: { controller: 'traefik.io/ingress-controller' },
    },
    {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'GatewayClass',
      metadata: { name: 'traefik' },
      spec: { controllerName: 'traefik.io/gateway-controller' },
    },
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: STORAGE_CLASS, annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      provisioner: PROVISIONER,
      reclaimPolicy: 'Delete',
      volumeBindingMode: 'WaitForFirstConsumer',
      allowVolumeExpansion: true,
    },
  ];
}

interface ServiceOfNode {
  name: string;
  node: string;
  clusterIP?: string;
  ports: object[];
  endpoints: object[];
}

/** A Service without a selector, whose only endpoint is the node itself. */
function serviceOfNode({ name, node, clusterIP, ports, endpoints }: ServiceOfNode): object[] {
  const metadata = { name, namespace: 'kube-system' };
  return [
    { apiVersion: 'v1', kind: 'Service', metadata, spec: { clusterIP, ports } },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { ...metadata, labels: { 'kubernetes.io/service-name': name } },
      addressType: 'IPv4',
      endpoints: [{ addresses: [node], conditions: { ready: true } }],
      ports: endpoints,
    },
  ];
}
