import { mkdir, readFile, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { addressesOf, CLUSTER_DOMAIN, type Cluster, certificatePaths, kubeconfigPath, NODE_NAME } from './cluster.ts';
import { CONTAINERD_SOCKET, PAUSE_IMAGE } from './containers.ts';
import { sandboxName } from './sandbox.ts';

/** The files that the node's programs read at their start. */
export async function writeNodeFiles(cluster: Cluster): Promise<void> {
  const files: Record<string, string> = {
    'node/cni/10-pods.conflist': JSON.stringify(podNetwork(cluster)),
    'node/containerd.toml': containerdSettings(cluster, await snapshotterFor(cluster.dir)),
    'node/kubelet.yaml': stringify(kubeletSettings(cluster)),
    'node/kube-proxy.yaml': stringify(proxySettings(cluster)),
    'node/Corefile': dnsSettings(cluster),
    'node/traefik.yaml': stringify({
      tls: { stores: { default: { defaultCertificate: ingressCertificate(cluster) } } },
    }),
  };
  for (const [name, content] of Object.entries(files)) {
    const path = join(cluster.dir, name);
    await mkdir(dirname(path), { recursive: true });
    // What runs notices a file that is written anew, even with the same words; kube-proxy ends then.
    if ((await readIfThere(path)) !== content) await writeFile(path, content);
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function podNetwork(cluster: Cluster): unknown {
  return {
    cniVersion: '1.0.0',
    name: 'pods',
    plugins: [
      {
        type: 'bridge',
        bridge: 'cni0',
        isGateway: true,
        ipMasq: true,
        hairpinMode: true,
        ipam: {
          type: 'host-local',
          // Forgotten with the node's namespaces, as the addresses are.
          dataDir: '/run/cni',
          ranges: [[{ subnet: addressesOf(cluster).podsOfNode }]],
          routes: [{ dst: '0.0.0.0/0' }],
        },
      },
      { type: 'portmap', capabilities: { portMappings: true } },
    ],
  };
}

function containerdSettings({ dir }: Cluster, snapshotter: string): string {
  const cri = 'plugins."io.containerd.grpc.v1.cri"';
  return `version = 2
root = "${dir}/containerd"
state = "/run/containerd"
[grpc]
  address = "${CONTAINERD_SOCKET}"
[${cri}]
  sandbox_image = "${PAUSE_IMAGE}"
  # Where CAP_SYS_RESOURCE is missing no container would start otherwise.
  restrict_oom_score_adj = true
  [${cri}.containerd]
    snapshotter = "${snapshotter}"
  [${cri}.containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
  [${cri}.cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "${dir}/node/cni"
`;
}

/** Layers cannot lie on layers: where the machine itself is a container, they are copied instead. */
async function snapshotterFor(dir: string): Promise<string> {
  const OVERLAY = 0x794c7630;
  return (await statfs(dir)).type === OVERLAY ? 'native' : 'overlayfs';
}

function kubeletSettings(cluster: Cluster): unknown {
  const { node, dns } = addressesOf(cluster);
  const { certificate, key } = certificatePaths(cluster, 'kubelet-server');
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: certificatePaths(cluster, 'ca').certificate },
    },
    authorization: { mode: 'Webhook' },
    tlsCertFile: certificate,
    tlsPrivateKeyFile: key,
    address: node,
    healthzBindAddress: node,
    cgroupDriver: 'cgroupfs',
    cgroupRoot: `/${sandboxName(cluster)}`,
    cgroupsPerQOS: false,
    enforceNodeAllocatable: [],
    failCgroupV1: false,
    failSwapOn: false,
    containerRuntimeEndpoint: `unix://${CONTAINERD_SOCKET}`,
    clusterDNS: [dns],
    clusterDomain: CLUSTER_DOMAIN,
    resolvConf: '',
    podLogsDir: join(cluster.dir, 'pod-logs'),
    oomScoreAdj: 0,
    protectKernelDefaults: false,
    evictionHard: { 'memory.available': '100Mi' },
    // Tests start and end many pods; the defaults are meant for a fleet of nodes.
    kubeAPIQPS: 100,
    kubeAPIBurst: 200,
    serializeImagePulls: false,
  };
}

function proxySettings(cluster: Cluster): unknown {
  const { node, pods } = addressesOf(cluster);
  return {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    bindAddress: node,
    healthzBindAddress: `${node}:10256`,
    metricsBindAddress: `${node}:10249`,
    mode: 'nftables',
    clusterCIDR: pods,
    hostnameOverride: NODE_NAME,
    clientConnection: { kubeconfig: kubeconfigPath(cluster, 'kube-proxy') },
    // The table of connections is the machine's; its size is not ours to change.
    conntrack: { maxPerCore: 0 },
  };
}

/** Names of Services, and the names that the test installation is reached by. Nothing else: a test needs nothing of the world. */
function dnsSettings(cluster: Cluster): string {
  const { node } = addressesOf(cluster);
  return `.:53 {
  bind ${node}
  errors
  ready ${node}:8181
  kubernetes ${CLUSTER_DOMAIN} in-addr.arpa ip6.arpa {
    kubeconfig ${kubeconfigPath(cluster, 'coredns')}
    pods insecure
  }
  template IN A berth.test apps.test {
    answer "{{ .Name }} 60 IN A ${node}"
  }
  template IN AAAA berth.test apps.test {
    rcode NOERROR
  }
  cache 5
}
`;
}

function ingressCertificate(cluster: Cluster): { certFile: string; keyFile: string } {
  const { certificate, key } = certificatePaths(cluster, 'ingress');
  return { certFile: certificate, keyFile: key };
}
