/** One Go module of `modules/`, whose go.mod and go.sum pin all that goes into its programs. */
export interface Module {
  name: string;
  /** As people know it; for `status`. */
  version: string;
  /** File name of each program and the Go package that it is built from. */
  programs: Record<string, string>;
  linkerFlags?: string;
  /** The same for test binaries. */
  tests?: Record<string, string>;
  /** Files of the modules that go.mod names, kept beside the programs: several are put together as YAML documents. */
  files?: { module: string; paths: string[]; name: string }[];
}

export const KUBERNETES_VERSION = 'v1.34.4';
const COMMAND = 'k8s.io/kubernetes/cmd';
const VERSION_PACKAGE = 'k8s.io/component-base/version';

export const KUBERNETES: Module = {
  name: 'kubernetes',
  version: KUBERNETES_VERSION,
  programs: {
    'kube-apiserver': `${COMMAND}/kube-apiserver`,
    'kube-controller-manager': `${COMMAND}/kube-controller-manager`,
    'kube-scheduler': `${COMMAND}/kube-scheduler`,
    kubelet: `${COMMAND}/kubelet`,
    'kube-proxy': `${COMMAND}/kube-proxy`,
    kubectl: `${COMMAND}/kubectl`,
  },
  linkerFlags: `-X ${VERSION_PACKAGE}.gitVersion=${KUBERNETES_VERSION} -X ${VERSION_PACKAGE}.gitMajor=1 -X ${VERSION_PACKAGE}.gitMinor=34`,
};
export const ETCD: Module = {
  name: 'kubernetes',
  version: 'v3.6.4',
  programs: { etcd: 'go.etcd.io/etcd/server/v3' },
};
export const PAUSE: Module = { name: 'pause', version: '', programs: { pause: '.' } };
export const COREDNS: Module = {
  name: 'coredns',
  version: 'v1.15.0',
  programs: { coredns: 'github.com/coredns/coredns' },
};
export const METRICS_SERVER: Module = {
  name: 'metrics-server',
  version: 'v0.8.0',
  programs: { 'metrics-server': 'sigs.k8s.io/metrics-server/cmd/metrics-server' },
};
export const TRAEFIK: Module = {
  name: 'traefik',
  version: 'v3.6.12',
  programs: { traefik: 'github.com/traefik/traefik/v3/cmd/traefik' },
  files: [
    {
      module: 'sigs.k8s.io/gateway-api',
      paths: ['backendtlspolicies', 'gatewayclasses', 'gateways', 'grpcroutes', 'httproutes', 'referencegrants'].map(
        (plural) => `config/crd/standard/gateway.networking.k8s.io_${plural}.yaml`,
      ),
      name: 'gateway-api.yaml',
    },
  ],
};
export const KUBE_ROUTER: Module = {
  name: 'kube-router',
  version: 'v2.1.0',
  programs: { 'kube-router': 'github.com/cloudnativelabs/kube-router/v2/cmd/kube-router' },
};
export const EXTERNAL_SECRETS: Module = {
  name: 'external-secrets',
  version: 'v0.16.2',
  programs: { 'external-secrets': 'github.com/external-secrets/external-secrets' },
  files: [
    {
      module: 'github.com/external-secrets/external-secrets',
      paths: ['deploy/crds/bundle.yaml'],
      name: 'external-secrets.yaml',
    },
  ],
};
export const HELM: Module = { name: 'helm', version: 'v3.19.5', programs: { helm: 'helm.sh/helm/v3/cmd/helm' } };

/** What the official end-to-end suite needs; built only when asked for. */
export const END_TO_END: Module = {
  name: 'kubernetes',
  version: KUBERNETES_VERSION,
  programs: { agnhost: 'k8s.io/kubernetes/test/images/agnhost', ginkgo: 'github.com/onsi/ginkgo/v2/ginkgo' },
  tests: { 'e2e.test': 'k8s.io/kubernetes/test/e2e' },
};

/** A control plane alone needs only these. */
export const CONTROL_PLANE = [KUBERNETES, ETCD];
export const NODE = [PAUSE, COREDNS, METRICS_SERVER, TRAEFIK, KUBE_ROUTER, EXTERNAL_SECRETS, HELM];
