import { canonicalQuantity } from '../../../schema/quantity.ts';

/** What the API promises about a pod's specification when a field is left out. Shared by pods and pod templates. */
type Fields = Record<string, unknown>;

const LATEST = /(^|\/)[^:@/]+(:latest)?$/;

export function defaultPodSpec(spec: Fields): void {
  fill(spec, {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    schedulerName: 'default-scheduler',
    securityContext: {},
  });
  if (spec.serviceAccountName !== undefined) spec.serviceAccount = spec.serviceAccountName;
  else if (spec.serviceAccount) spec.serviceAccountName = spec.serviceAccount;
  for (const container of [...list(spec.initContainers), ...list(spec.containers)]) defaultContainer(container);
  for (const volume of list(spec.volumes)) defaultVolume(volume);
}

function defaultContainer(container: Fields): void {
  const image = String(container.image ?? '');
  fill(container, {
    imagePullPolicy: LATEST.test(image) ? 'Always' : 'IfNotPresent',
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    resources: {},
  });
  defaultRequests(container.resources as Fields);
  for (const port of list(container.ports)) fill(port, { protocol: 'TCP' });
  for (const variable of list(container.env)) {
    const source = (variable.valueFrom as { fieldRef?: Fields } | undefined)?.fieldRef;
    if (source) fill(source, { apiVersion: 'v1' });
  }
  for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe'])
    if (container[name]) defaultProbe(container[name] as Fields);
  const { postStart, preStop } = (container.lifecycle ?? {}) as Record<string, Fields | undefined>;
  for (const hook of [postStart, preStop]) if (hook) defaultHttpGet(hook);
}

/** A limit without a request asks for as much. */
function defaultRequests(resources: Fields): void {
  const limits = resources.limits as Record<string, string> | undefined;
  if (!limits) return;
  resources.requests = { ...limits, ...(resources.requests as object | undefined) };
}

function defaultProbe(probe: Fields): void {
  fill(probe, { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 });
  defaultHttpGet(probe);
  const grpc = probe.grpc as Fields | undefined;
  if (grpc) fill(grpc, { service: '' });
}

function defaultHttpGet(handler: Fields): void {
  if (handler.httpGet) fill(handler.httpGet as Fields, { path: '/', scheme: 'HTTP' });
}

const FILE_MODE = 0o644;

function defaultVolume(volume: Fields): void {
  const { secret, configMap, projected, hostPath, downwardAPI } = volume as Record<string, Fields | undefined>;
  for (const source of [secret, configMap, projected, downwardAPI])
    if (source) fill(source, { defaultMode: FILE_MODE });
  if (hostPath) fill(hostPath, { type: '' });
  for (const item of list(downwardAPI?.items)) if (item.fieldRef) fill(item.fieldRef as Fields, { apiVersion: 'v1' });
  for (const source of list(projected?.sources)) {
    if (source.serviceAccountToken) fill(source.serviceAccountToken as Fields, { expirationSeconds: 3600 });
    for (const item of list((source.downwardAPI as Fields | undefined)?.items))
      if (item.fieldRef) fill(item.fieldRef as Fields, { apiVersion: 'v1' });
  }
  const kinds = Object.keys(volume).filter((key) => key !== 'name');
  if (kinds.length === 0) volume.emptyDir = {};
}

/** Guaranteed when every container's limits equal its requests, BestEffort when none says anything. */
export function qosClass(spec: Fields): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const containers = [...list(spec.initContainers), ...list(spec.containers)].map(
    ({ resources }) => (resources ?? {}) as Record<string, Fields | undefined>,
  );
  const amounts = (of: Fields | undefined) => ['cpu', 'memory'].map((name) => nonZero(of?.[name]));
  const anything = containers.some(({ requests, limits }) => [...amounts(requests), ...amounts(limits)].some(Boolean));
  if (!anything) return 'BestEffort';
  const guaranteed = containers.every(({ requests, limits }) => {
    const [wanted, allowed] = [amounts(requests), amounts(limits)];
    return allowed.every((amount, at) => amount !== undefined && (wanted[at] ?? amount) === amount);
  });
  return guaranteed ? 'Guaranteed' : 'Burstable';
}

function nonZero(quantity: unknown): string | undefined {
  if (quantity === undefined) return undefined;
  const text = canonicalQuantity(quantity as string);
  return text === '0' ? undefined : text;
}

export function fill(target: Fields, defaults: Fields): void {
  for (const [key, value] of Object.entries(defaults)) target[key] ??= value;
}

export function list(value: unknown): Fields[] {
  return Array.isArray(value) ? (value as Fields[]) : [];
}
