import { controllerReference } from '../../../client/owner.ts';
import { isPodFinished, isPodReady, type Pod } from '../../../schema/kinds/pod.ts';
import {
  type Endpoint,
  type EndpointPort,
  type EndpointSlice,
  SERVICE_NAME_LABEL,
  type Service,
  type ServicePort,
} from '../../../schema/kinds/service.ts';
import { stableHash } from '../stable-hash.ts';

/**
 * On a machine with one loopback address a pod cannot have its own, so the node moves its ports: container port -> real
 * port, as JSON. Endpoints carry the real one.
 */
export const LISTEN_PORTS_ANNOTATION = 'node.embedded/listen-ports';
const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
export const MANAGER = 'endpointslice-controller.k8s.io';

/** The slices a Service should have: one for each set of port numbers, since pods may give a named port different ones. */
export function desiredSlices(service: Service, pods: Pod[]): EndpointSlice[] {
  const groups = new Map<string, { ports: EndpointPort[]; endpoints: Endpoint[] }>();
  for (const pod of [...pods].sort((a, b) => a.metadata.name.localeCompare(b.metadata.name))) {
    const address = pod.status?.podIP;
    if (!address || isPodFinished(pod)) continue;
    const ports = portsFor(service, pod);
    const key = JSON.stringify(ports);
    const group = groups.get(key) ?? { ports, endpoints: [] };
    group.endpoints.push(endpoint(service, pod, address));
    groups.set(key, group);
  }
  // A Service without pods has one empty slice, so that readers can tell "none" from "not yet looked at".
  if (groups.size === 0) groups.set('', { ports: [], endpoints: [] });
  return [...groups].map(([key, group]) => slice(service, key, group));
}

function endpoint(service: Service, pod: Pod, address: string): Endpoint {
  const terminating = pod.metadata.deletionTimestamp !== undefined;
  const serving = isPodReady(pod);
  const ready = service.spec.publishNotReadyAddresses === true || (serving && !terminating);
  const { name, namespace, uid } = pod.metadata;
  return {
    addresses: [address],
    conditions: { ready, serving, terminating },
    ...(pod.spec.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    targetRef: { kind: 'Pod', name, ...(namespace ? { namespace } : {}), ...(uid ? { uid } : {}) },
  };
}

function portsFor(service: Service, pod: Pod): EndpointPort[] {
  return (service.spec.ports ?? []).flatMap((port) => {
    const number = containerPort(port, pod);
    if (number === undefined) return [];
    const name = port.name ?? '';
    const protocol = port.protocol ?? 'TCP';
    return [{ name, port: number, protocol, ...(port.appProtocol ? { appProtocol: port.appProtocol } : {}) }];
  });
}

function containerPort(port: ServicePort, pod: Pod): number | undefined {
  const target = port.targetPort ?? port.port;
  const protocol = port.protocol ?? 'TCP';
  const number =
    typeof target === 'number'
      ? target
      : pod.spec.containers
          .flatMap((container) => container.ports ?? [])
          .find((one) => one.name === target && (one.protocol ?? 'TCP') === protocol)?.containerPort;
  return number === undefined ? undefined : (listenPorts(pod)[String(number)] ?? number);
}

export function listenPorts(pod: Pod): Record<string, number> {
  const text = pod.metadata.annotations?.[LISTEN_PORTS_ANNOTATION];
  if (!text) return {};
  try {
    return JSON.parse(text) as Record<string, number>;
  } catch {
    // Anyone who may edit the pod may write nonsense here; its declared ports are the best that is left.
    return {};
  }
}

function slice(service: Service, key: string, group: { ports: EndpointPort[]; endpoints: Endpoint[] }): EndpointSlice {
  const { name, namespace, labels } = service.metadata;
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: `${name.slice(0, 57)}-${stableHash([service.metadata.uid, key], 5)}`,
      ...(namespace ? { namespace } : {}),
      labels: { ...labels, [SERVICE_NAME_LABEL]: name, [MANAGED_BY]: MANAGER },
      ownerReferences: [controllerReference(service)],
    },
    addressType: 'IPv4',
    endpoints: group.endpoints,
    ports: group.ports,
  };
}
