import type { KubeObject } from '../../../schema/object.ts';
import { SERVICE } from '../../../schema/resources.ts';
import type { StoreView } from '../../store/store.ts';
import { banned, duplicate, type FieldError, required, wrong } from '../errors.ts';
import type { Kind, RuleContext } from '../kind.ts';
import { validateLabels } from '../validation/metadata.ts';
import { dns1035Label, dnsLabel, dnsSubdomain, portNumber } from '../validation/names.ts';
import { choice, named, validatePortReference } from '../validation/values.ts';
import { allocateAddress, inNetwork } from './cluster-ip.ts';
import { at, defineKind, orNone, text } from './define.ts';
import { fill, list } from './pod-defaults.ts';

type Fields = Record<string, unknown>;

const HEADLESS = 'None';
const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
function specOf(object: KubeObject): Fields {
  object.spec ??= {};
  return object.spec as Fields;
}

export const service: Kind = defineKind(SERVICE, {
  schema: 'io.k8s.api.core.v1.Service',
  status: true,
  returnsDeleted: true,
  shortNames: ['svc'],
  categories: ['all'],
  columns: [
    text('Type', (object) => at(object, 'spec', 'type')),
    text('Cluster-IP', (object) => orNone(at(object, 'spec', 'clusterIP'))),
    text('External-IP', externalText),
    text('Port(s)', (object) =>
      orNone(
        list(at(object, 'spec', 'ports'))
          .map(portText)
          .join(','),
      ),
    ),
  ],
  wide: [
    text(
      'Selector',
      (object) =>
        orNone(
          Object.entries((at(object, 'spec', 'selector') ?? {}) as object)
            .map(([key, value]) => `${key}=${value}`)
            .sort()
            .join(','),
        ),
      true,
    ),
  ],
  selectable: (object) => ({
    'spec.clusterIP': String(at(object, 'spec', 'clusterIP') ?? ''),
    'spec.type': String(at(object, 'spec', 'type') ?? ''),
  }),
  strategy: {
    name: dns1035Label,
    defaults: (object) => {
      const spec = specOf(object);
      fill(spec, { sessionAffinity: 'None', type: 'ClusterIP' });
      if (spec.type !== 'ExternalName') fill(spec, { internalTrafficPolicy: 'Cluster' });
      if (spec.sessionAffinity === 'ClientIP')
        fill(spec, { sessionAffinityConfig: { clientIP: { timeoutSeconds: 10_800 } } });
      for (const port of list(spec.ports)) {
        port.protocol ??= 'TCP';
        if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === '')
          port.targetPort = port.port;
      }
    },
    prepareForCreate: (object, context) => {
      object.status = { loadBalancer: {} };
      giveAddress(object, context);
    },
    prepareForUpdate: (object, old, context) => {
      const spec = specOf(object);
      const before = specOf(old);
      // An update that says nothing of the address keeps it.
      if (spec.type !== 'ExternalName' && !spec.clusterIP && before.clusterIP) {
        Object.assign(spec, { clusterIP: before.clusterIP, clusterIPs: before.clusterIPs });
      }
      if (spec.type === 'ExternalName')
        for (const field of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy']) delete spec[field];
      else if (!spec.clusterIP) giveAddress(object, context);
      else
        fill(spec, {
          ipFamilies: before.ipFamilies,
          ipFamilyPolicy: before.ipFamilyPolicy,
          clusterIPs: [spec.clusterIP],
        });
    },
    validate: (object, { serviceNetwork }) => validateService(object, serviceNetwork),
    validateUpdate: (object, old) => {
      const [wanted, before] = [specOf(object), specOf(old)];
      if (
        before.type === 'ExternalName' ||
        wanted.type === 'ExternalName' ||
        !before.clusterIP ||
        wanted.clusterIP === before.clusterIP
      )
        return [];
      return [wrong('spec.clusterIPs[0]', wanted.clusterIPs ?? [wanted.clusterIP], 'may not change once set')];
    },
  },
});

/** Every Service but ExternalName has an address of its own, or asks for none at all. */
function giveAddress(object: KubeObject, context: RuleContext): void {
  const spec = specOf(object);
  if (spec.type === 'ExternalName') return;
  const wanted = (spec.clusterIP as string | undefined) || (spec.clusterIPs as string[] | undefined)?.[0];
  const taken = takenAddresses(context.view, object);
  if (wanted && wanted !== HEADLESS && inNetwork(wanted, context.serviceNetwork) && taken.has(wanted)) {
    spec.clusterIP = wanted;
    spec.clusterIPs = [wanted];
    spec.allocationFailed = 'provided IP is already allocated';
    return;
  }
  const address = wanted ?? allocateAddress(context.serviceNetwork, taken);
  Object.assign(spec, { clusterIP: address, clusterIPs: [address] });
  fill(spec, { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' });
}

function takenAddresses(view: StoreView, self: KubeObject): Set<string> {
  const others = view.list('services').filter(({ object }) => object.metadata.uid !== self.metadata.uid);
  return new Set(others.map(({ object }) => String(at(object, 'spec', 'clusterIP') ?? '')));
}

function validateService(object: KubeObject, network: string): FieldError[] {
  const spec = specOf(object);
  const errors = choice(spec.type, TYPES, 'spec.type');
  if (spec.type === 'NodePort' || spec.type === 'LoadBalancer') {
    errors.push(
      banned('spec.type', `${spec.type} is not served by the embedded cluster: use ClusterIP and an Ingress`),
    );
  }
  errors.push(...validateAddress(spec, network));
  errors.push(...validateLabels(spec.selector as Record<string, string> | undefined, 'spec.selector'));
  errors.push(...choice(spec.sessionAffinity, ['ClientIP', 'None'], 'spec.sessionAffinity'));
  if (spec.type === 'ExternalName') {
    if (!spec.externalName) errors.push(required('spec.externalName'));
    else errors.push(...named(spec.externalName, dnsSubdomain, 'spec.externalName'));
  }
  const ports = list(spec.ports);
  if (ports.length === 0 && spec.clusterIP !== HEADLESS && spec.type !== 'ExternalName')
    errors.push(required('spec.ports'));
  return [...errors, ...validatePorts(ports)];
}

function validateAddress(spec: Fields, network: string): FieldError[] {
  const address = spec.clusterIP as string | undefined;
  const failure = spec.allocationFailed as string | undefined;
  delete spec.allocationFailed;
  if (failure) return [wrong('spec.clusterIPs', [address], `failed to allocate IP ${address}: ${failure}`)];
  if (!address || address === HEADLESS || spec.type === 'ExternalName') return [];
  if (inNetwork(address, network)) return [];
  return [
    wrong(
      'spec.clusterIPs',
      [address],
      `failed to allocate IP ${address}: the provided IP (${address}) is not in the valid range. The range of valid IPs is ${network}`,
    ),
  ];
}

function validatePorts(ports: Fields[]): FieldError[] {
  const names = new Set<unknown>();
  const numbers = new Set<string>();
  return ports.flatMap((port, index) => {
    const field = `spec.ports[${index}]`;
    const errors: FieldError[] = [];
    if (!port.name && ports.length > 1) errors.push(required(`${field}.name`));
    if (port.name) {
      errors.push(...named(port.name, dnsLabel, `${field}.name`));
      if (names.has(port.name)) errors.push(duplicate(`${field}.name`, port.name));
      names.add(port.name);
    }
    errors.push(...portNumber(port.port).map((problem) => wrong(`${field}.port`, port.port ?? 0, problem)));
    errors.push(...choice(port.protocol, ['TCP', 'UDP', 'SCTP'], `${field}.protocol`));
    if (port.targetPort !== undefined) errors.push(...validatePortReference(port.targetPort, `${field}.targetPort`));
    const number = `${port.protocol}/${port.port}`;
    if (numbers.has(number)) errors.push(duplicate(field, goPort(port)));
    numbers.add(number);
    return errors;
  });
}

/** As Go prints the port of a duplicate. */
function goPort({ protocol, port, appProtocol }: Fields) {
  return { Name: '', Protocol: protocol, AppProtocol: appProtocol ?? null, Port: port, TargetPort: 0, NodePort: 0 };
}

function externalText(object: KubeObject): unknown {
  if (at(object, 'spec', 'type') === 'ExternalName') return at(object, 'spec', 'externalName');
  return orNone(((at(object, 'spec', 'externalIPs') ?? []) as string[]).join(','));
}

function portText({ port, nodePort, protocol }: Fields): string {
  return nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`;
}
