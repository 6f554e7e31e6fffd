import { at } from '../../kinds/define.ts';
import { list } from '../../kinds/pod-defaults.ts';
import {
  type CheckedPod,
  containersOf,
  containersWhere,
  contextsOf,
  distinct,
  type Fields,
  named,
  type PodSecurityCheck,
  plural,
  quoted,
  settersWhere,
  type Violation,
} from './pod-fields.ts';

/** The baseline level of the Pod Security Standards, in the order in which a real server names what it finds. */
export const baselineChecks: PodSecurityCheck[] = [
  { name: 'appArmorProfile', check: appArmorProfile },
  { name: 'capabilities_baseline', check: capabilities },
  { name: 'hostNamespaces', check: hostNamespaces },
  { name: 'hostPathVolumes', check: hostPathVolumes },
  { name: 'hostPorts', check: hostPorts },
  { name: 'hostProbesAndHostLifecycle', since: 34, check: hostsOfProbes },
  { name: 'privileged', check: privileged },
  { name: 'procMount', check: procMount },
  { name: 'seLinuxOptions', check: seLinuxOptions },
  // Before 1.19 a profile was an annotation, which no server of today reads: the field is what is checked for those versions as well.
  { name: 'seccompProfile_baseline', check: forbiddenSeccompProfile },
  { name: 'sysctls', check: sysctls },
  { name: 'windowsHostProcess', check: windowsHostProcess },
];

const PROFILE_TYPES = new Set<unknown>(['RuntimeDefault', 'Localhost']);
const APP_ARMOR_ANNOTATION = 'container.apparmor.security.beta.kubernetes.io/';
const CAPABILITIES = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]);
/** Each with the minor version that began to allow it. */
const SELINUX_TYPES = new Map([
  ['container_t', 0],
  ['container_init_t', 0],
  ['container_kvm_t', 0],
  ['container_engine_t', 31],
]);
const SYSCTLS = new Map([
  ['kernel.shm_rmid_forced', 0],
  ['net.ipv4.ip_local_port_range', 0],
  ['net.ipv4.tcp_syncookies', 0],
  ['net.ipv4.ping_group_range', 0],
  ['net.ipv4.ip_unprivileged_port_start', 0],
  ['net.ipv4.ip_local_reserved_ports', 27],
  ['net.ipv4.tcp_keepalive_time', 29],
  ['net.ipv4.tcp_fin_timeout', 29],
  ['net.ipv4.tcp_keepalive_intvl', 29],
  ['net.ipv4.tcp_keepalive_probes', 29],
  ['net.ipv4.tcp_rmem', 32],
  ['net.ipv4.tcp_wmem', 32],
]);

function appArmorProfile(pod: CheckedPod): Violation | undefined {
  const isBad = ({ appArmorProfile: profile }: Fields) =>
    profile !== undefined && !PROFILE_TYPES.has(at(profile, 'type'));
  const types = contextsOf(pod)
    .filter(isBad)
    .map((context) => String(at(context, 'appArmorProfile', 'type')));
  const annotations = Object.entries(pod.metadata?.annotations ?? {})
    .filter(([key, value]) => key.startsWith(APP_ARMOR_ANNOTATION) && !isAllowedAnnotation(value))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .sort();
  const setters = [
    ...(types.length > 0 ? [settersWhere(pod, isBad)] : []),
    ...(annotations.length > 0 ? [plural('annotation', annotations)] : []),
  ];
  if (setters.length === 0) return undefined;
  const values = [...distinct(types), ...annotations];
  const detail = `${setters.join(' and ')} must not set AppArmor profile type to ${quoted(values)}`;
  return { reason: plural('forbidden AppArmor profile', values), detail };
}

function isAllowedAnnotation(profile: string): boolean {
  return profile === '' || profile === 'runtime/default' || profile.startsWith('localhost/');
}

function capabilities(pod: CheckedPod): Violation | undefined {
  const added = (container: Fields) => addedCapabilities(container).filter((name) => !CAPABILITIES.has(name));
  const containers = containersWhere(pod, (container) => added(container).length > 0);
  if (containers.length === 0) return undefined;
  const values = distinct(containersOf(pod).flatMap(added));
  const detail = `${named('container', containers)} must not include ${quoted(values)} in securityContext.capabilities.add`;
  return { reason: 'non-default capabilities', detail };
}

export function addedCapabilities(container: Fields): string[] {
  return (at(container, 'securityContext', 'capabilities', 'add') ?? []) as string[];
}

function hostNamespaces({ spec }: CheckedPod): Violation | undefined {
  const used = ['hostNetwork', 'hostPID', 'hostIPC'].filter((field) => spec[field] === true);
  if (used.length === 0) return undefined;
  return { reason: 'host namespaces', detail: used.map((field) => `${field}=true`).join(', ') };
}

function hostPathVolumes({ spec }: CheckedPod): Violation | undefined {
  const names = list(spec.volumes)
    .filter(({ hostPath }) => hostPath !== undefined)
    .map(({ name }) => String(name));
  return names.length > 0 ? { reason: 'hostPath volumes', detail: named('volume', names) } : undefined;
}

function hostPorts(pod: CheckedPod): Violation | undefined {
  const portsOf = (container: Fields) =>
    list(container.ports).flatMap(({ hostPort }) => (hostPort ? [String(hostPort)] : []));
  const containers = containersWhere(pod, (container) => portsOf(container).length > 0);
  if (containers.length === 0) return undefined;
  const ports = distinct(containersOf(pod).flatMap(portsOf));
  const detail = `${named('container', containers)} ${uses(containers)} ${plural('hostPort', ports)} ${ports.join(', ')}`;
  return { reason: 'hostPort', detail };
}

/** A probe that names a host makes the node call it, whatever it is. */
function hostsOfProbes(pod: CheckedPod): Violation | undefined {
  const containers = distinct(containersWhere(pod, (container) => probeHosts(container).length > 0));
  if (containers.length === 0) return undefined;
  const hosts = distinct(containersOf(pod).flatMap(probeHosts));
  const detail = `${named('container', containers)} ${uses(containers)} ${named('probe or lifecycle host', hosts)}`;
  return { reason: 'probe or lifecycle host', detail };
}

function probeHosts({ livenessProbe, readinessProbe, startupProbe, lifecycle }: Fields): string[] {
  const handlers = [livenessProbe, readinessProbe, startupProbe, at(lifecycle, 'postStart'), at(lifecycle, 'preStop')];
  return handlers
    .flatMap((handler) => [at(handler, 'httpGet', 'host'), at(handler, 'tcpSocket', 'host')])
    .filter((host): host is string => typeof host === 'string' && host !== '');
}

function privileged(pod: CheckedPod): Violation | undefined {
  const containers = containersWhere(pod, (container) => at(container, 'securityContext', 'privileged') === true);
  if (containers.length === 0) return undefined;
  return {
    reason: 'privileged',
    detail: `${named('container', containers)} must not set securityContext.privileged=true`,
  };
}

function procMount(pod: CheckedPod): Violation | undefined {
  const mountOf = (container: Fields) => at(container, 'securityContext', 'procMount') as string | undefined;
  const isBad = (container: Fields) => (mountOf(container) ?? 'Default') !== 'Default';
  const containers = containersWhere(pod, isBad);
  if (containers.length === 0) return undefined;
  const values = distinct(
    containersOf(pod)
      .filter(isBad)
      .map((container) => mountOf(container)!),
  );
  const detail = `${named('container', containers)} must not set securityContext.procMount to ${quoted(values)}`;
  return { reason: 'procMount', detail };
}

function seLinuxOptions(pod: CheckedPod, minor: number): Violation | undefined {
  const optionsOf = (context: Fields) =>
    (context.seLinuxOptions ?? {}) as { type?: string; user?: string; role?: string };
  const isBadType = (type = '') => type !== '' && !isAllowed(SELINUX_TYPES, type, minor);
  const setters = settersWhere(pod, (context) => {
    const { type, user, role } = optionsOf(context);
    return isBadType(type) || Boolean(user) || Boolean(role);
  });
  if (!setters) return undefined;
  const options = contextsOf(pod).map(optionsOf);
  const types = distinct(options.flatMap(({ type }) => (type && isBadType(type) ? [type] : [])));
  const wrong = [
    ...(types.length > 0 ? [named('type', types)] : []),
    ...(options.some(({ user }) => user) ? ['user may not be set'] : []),
    ...(options.some(({ role }) => role) ? ['role may not be set'] : []),
  ];
  return {
    reason: 'seLinuxOptions',
    detail: `${setters} set forbidden securityContext.seLinuxOptions: ${wrong.join('; ')}`,
  };
}

export function isAllowedSeccompProfile(profile: unknown): boolean {
  return PROFILE_TYPES.has(at(profile, 'type'));
}

export function forbiddenSeccompProfile(pod: CheckedPod): Violation | undefined {
  const isBad = ({ seccompProfile }: Fields) =>
    seccompProfile !== undefined && !isAllowedSeccompProfile(seccompProfile);
  const setters = settersWhere(pod, isBad);
  if (!setters) return undefined;
  const bad = contextsOf(pod).filter(isBad);
  const values = distinct(bad.map((context) => String(at(context, 'seccompProfile', 'type'))));
  return {
    reason: 'seccompProfile',
    detail: `${setters} must not set securityContext.seccompProfile.type to ${quoted(values)}`,
  };
}

function sysctls({ spec }: CheckedPod, minor: number): Violation | undefined {
  const names = list(at(spec, 'securityContext', 'sysctls')).map(({ name }) => String(name));
  const bad = names.filter((name) => !isAllowed(SYSCTLS, name, minor));
  return bad.length > 0 ? { reason: 'forbidden sysctls', detail: bad.join(', ') } : undefined;
}

function windowsHostProcess(pod: CheckedPod): Violation | undefined {
  const setters = settersWhere(pod, (context) => at(context, 'windowsOptions', 'hostProcess') === true);
  if (!setters) return undefined;
  return { reason: 'hostProcess', detail: `${setters} must not set securityContext.windowsOptions.hostProcess=true` };
}

function isAllowed(allowed: Map<string, number>, value: string, minor: number): boolean {
  const since = allowed.get(value);
  return since !== undefined && minor >= since;
}

function uses({ length }: string[]): string {
  return length === 1 ? 'uses' : 'use';
}
