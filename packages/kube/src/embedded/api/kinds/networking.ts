import type { LabelSelector } from '../../../schema/label-selector.ts';
import type { KubeObject } from '../../../schema/object.ts';
import { ENDPOINT_SLICE, INGRESS, INGRESS_CLASS, NETWORK_POLICY } from '../../../schema/resources.ts';
import { type FieldError, required, unsupported, wrong } from '../errors.ts';
import type { Kind } from '../kind.ts';
import { dnsLabel, dnsSubdomain } from '../validation/names.ts';
import { validateSelector } from '../validation/selector.ts';
import { choice, named, validatePortReference } from '../validation/values.ts';
import { at, defineKind, orNone, text } from './define.ts';
import { fill, list } from './pod-defaults.ts';
import { selectorText } from './workload.ts';

type Fields = Record<string, unknown>;

function specOf(object: KubeObject): Fields {
  object.spec ??= {};
  return object.spec as Fields;
}
const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix'];

export const ingress: Kind = defineKind(INGRESS, {
  schema: 'io.k8s.api.networking.v1.Ingress',
  status: true,
  generation: true,
  shortNames: ['ing'],
  columns: [
    text('Class', (object) =>
      orNone(at(object, 'spec', 'ingressClassName') ?? object.metadata.annotations?.['kubernetes.io/ingress.class']),
    ),
    text(
      'Hosts',
      (object) =>
        list(at(object, 'spec', 'rules'))
          .map(({ host }) => host ?? '*')
          .join(',') || '*',
    ),
    text('Address', (object) =>
      list(at(object, 'status', 'loadBalancer', 'ingress'))
        .map(({ ip, hostname }) => ip ?? hostname)
        .join(','),
    ),
    text('Ports', (object) => (list(at(object, 'spec', 'tls')).length > 0 ? '80, 443' : '80')),
  ],
  strategy: {
    prepareForCreate: (object) => {
      object.status = { loadBalancer: {} };
    },
    validate: (object) => validateIngress(specOf(object)),
  },
});

function validateIngress(spec: Fields): FieldError[] {
  const errors: FieldError[] = [];
  if (list(spec.rules).length === 0 && !spec.defaultBackend) {
    errors.push(wrong('spec', undefined, 'either `defaultBackend` or `rules` must be specified'));
  }
  list(spec.rules).forEach((rule, index) => {
    errors.push(...validateRule(rule, `spec.rules[${index}]`));
  });
  if (spec.defaultBackend) errors.push(...validateBackend(spec.defaultBackend as Fields, 'spec.defaultBackend'));
  return [...errors, ...named(spec.ingressClassName, dnsSubdomain, 'spec.ingressClassName')];
}

function validateRule(rule: Fields, field: string): FieldError[] {
  const host = rule.host as string | undefined;
  const errors = host ? validateHost(host, `${field}.host`) : [];
  const paths = at(rule, 'http', 'paths');
  if (rule.http && list(paths).length === 0) errors.push(required(`${field}.http.paths`));
  list(paths).forEach((path, index) => {
    errors.push(...validatePath(path, `${field}.http.paths[${index}]`));
  });
  return errors;
}

function validateHost(host: string, field: string): FieldError[] {
  if (/^\d+\.\d+\.\d+\.\d+$/.test(host) || host.includes(':'))
    return [wrong(field, host, 'must be a DNS name, not an IP address')];
  if (!host.includes('*')) return named(host, dnsSubdomain, field);
  if (host.startsWith('*.') && !host.slice(2).includes('*')) return named(host.slice(2), dnsSubdomain, field);
  return [
    wrong(
      field,
      host,
      "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ),
  ];
}

function validatePath(path: Fields, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (path.pathType === undefined) return [required(`${field}.pathType`, 'pathType must be specified')];
  if (!PATH_TYPES.includes(String(path.pathType)))
    errors.push(unsupported(`${field}.pathType`, path.pathType, PATH_TYPES));
  const text = String(path.path ?? '');
  if (path.pathType !== 'ImplementationSpecific' && !text.startsWith('/'))
    errors.push(wrong(`${field}.path`, text, 'must be an absolute path'));
  for (const bad of ['//', '/./', '/../', '%2f', '%2F'])
    if (text.includes(bad)) errors.push(wrong(`${field}.path`, text, `must not contain '${bad}'`));
  return [...errors, ...validateBackend((path.backend ?? {}) as Fields, `${field}.backend`)];
}

function validateBackend(backend: Fields, field: string): FieldError[] {
  const service = backend.service as Fields | undefined;
  if (!service) return backend.resource ? [] : [required(field, 'port name or number is required')];
  if (!service.name) return [required(`${field}.service.name`)];
  const port = (service.port ?? {}) as Fields;
  if (port.name === undefined && port.number === undefined) return [required(field, 'port name or number is required')];
  if (port.name && port.number) return [wrong(field, '', 'cannot set both port name & port number')];
  return validatePortReference(port.name ?? port.number, `${field}.service.port.${port.name ? 'name' : 'number'}`);
}

export const ingressClass: Kind = defineKind(INGRESS_CLASS, {
  schema: 'io.k8s.api.networking.v1.IngressClass',
  generation: true,
  columns: [
    text('Controller', (object) => at(object, 'spec', 'controller') ?? ''),
    text('Parameters', (object) => parametersText(at(object, 'spec', 'parameters') as Fields | undefined)),
  ],
  strategy: {
    validate: (object) => (specOf(object).controller ? [] : [required('spec.controller')]),
    validateUpdate: (object, old) =>
      specOf(object).controller === specOf(old).controller
        ? []
        : [wrong('spec.controller', specOf(object).controller, 'field is immutable')],
  },
});

function parametersText(parameters: Fields | undefined): string {
  if (!parameters) return '<none>';
  return `${parameters.kind}${parameters.apiGroup ? `.${parameters.apiGroup}` : ''}/${parameters.name}`;
}

export const networkPolicy: Kind = defineKind(NETWORK_POLICY, {
  schema: 'io.k8s.api.networking.v1.NetworkPolicy',
  zero: { spec: { podSelector: {} } },
  generation: true,
  shortNames: ['netpol'],
  columns: [
    text('Pod-Selector', (object) => selectorText(at(object, 'spec', 'podSelector') as LabelSelector | undefined)),
  ],
  strategy: {
    defaults: (object) => {
      const spec = specOf(object);
      if (!list(spec.policyTypes).length) spec.policyTypes = spec.egress ? ['Ingress', 'Egress'] : ['Ingress'];
      for (const rule of [...list(spec.ingress), ...list(spec.egress)])
        for (const port of list(rule.ports)) fill(port, { protocol: 'TCP' });
    },
    validate: (object) => {
      const spec = specOf(object);
      const errors = validateSelector((spec.podSelector ?? {}) as LabelSelector, 'spec.podSelector');
      ((spec.policyTypes ?? []) as string[]).forEach((type, index) => {
        errors.push(...choice(type, ['Egress', 'Ingress'], `spec.policyTypes[${index}]`));
      });
      return errors;
    },
  },
});

const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6'];

export const endpointSlice: Kind = defineKind(ENDPOINT_SLICE, {
  schema: 'io.k8s.api.discovery.v1.EndpointSlice',
  generation: true,
  columns: [
    text('AddressType', ({ addressType }) => addressType),
    text('Ports', ({ ports }) =>
      list(ports).length
        ? list(ports)
            .map(({ port }) => port ?? '*')
            .join(',')
        : '<unset>',
    ),
    text('Endpoints', ({ endpoints }) => addressesText(list(endpoints))),
  ],
  strategy: {
    defaults: ({ ports }) => {
      for (const port of list(ports)) fill(port, { name: '', protocol: 'TCP' });
    },
    validate: (object) => {
      const errors: FieldError[] = object.addressType
        ? choice(object.addressType, ADDRESS_TYPES, 'addressType')
        : [required('addressType')];
      list(object.endpoints).forEach((endpoint, index) => {
        if (list(endpoint.addresses).length === 0)
          errors.push(required(`endpoints[${index}].addresses`, 'must contain at least 1 address'));
      });
      list(object.ports).forEach((port, index) => {
        errors.push(...named(port.name, dnsLabel, `ports[${index}].name`));
      });
      return errors;
    },
    validateUpdate: (object, old) =>
      object.addressType === old.addressType ? [] : [wrong('addressType', object.addressType, 'field is immutable')],
  },
});

function addressesText(endpoints: Fields[]): string {
  const all = endpoints.flatMap(({ addresses }) => addresses as string[]);
  if (all.length === 0) return '<unset>';
  return all.length > 3 ? `${all.slice(0, 3).join(',')} + ${all.length - 3} more...` : all.join(',');
}
