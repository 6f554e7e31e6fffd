import type { KubeObject } from '../../../schema/object.ts';
import { POD } from '../../../schema/resources.ts';
import { deepEqual } from '../../store/deep-equal.ts';
import { banned, type FieldError } from '../errors.ts';
import type { Kind } from '../kind.ts';
import { humanDuration } from '../table.ts';
import { validatePodSpec } from '../validation/pod-spec.ts';
import { at, defineKind, orNone, text } from './define.ts';
import { defaultPodSpec, list, qosClass } from './pod-defaults.ts';

type Fields = Record<string, unknown>;

function specOf(pod: KubeObject): Fields {
  pod.spec ??= {};
  return pod.spec as Fields;
}
const statusOf = (pod: KubeObject) => (pod.status ?? {}) as Fields;

export const pod: Kind = defineKind(POD, {
  schema: 'io.k8s.api.core.v1.Pod',
  status: true,
  generation: true,
  zero: { spec: { containers: [] } },
  returnsDeleted: true,
  shortNames: ['po'],
  categories: ['all'],
  others: [
    { name: 'binding', kind: 'Binding', verbs: ['create'] },
    { name: 'exec', kind: 'PodExecOptions', verbs: ['create', 'get'] },
    { name: 'log', kind: 'Pod', verbs: ['get'] },
    { name: 'portforward', kind: 'PodPortForwardOptions', verbs: ['create', 'get'] },
  ],
  columns: [text('Ready', readyOf), text('Status', statusText), { name: 'Restarts', type: 'string', cell: restartsOf }],
  wide: [
    text('IP', (object) => orNone(statusOf(object).podIP), true),
    text('Node', (object) => orNone(at(object, 'spec', 'nodeName')), true),
    text('Nominated Node', (object) => orNone(statusOf(object).nominatedNodeName), true),
    text('Readiness Gates', (object) => orNone(at(object, 'spec', 'readinessGates') && '0/0'), true),
  ],
  selectable: (object) => ({
    'spec.nodeName': String(at(object, 'spec', 'nodeName') ?? ''),
    'spec.restartPolicy': String(at(object, 'spec', 'restartPolicy') ?? ''),
    'spec.schedulerName': String(at(object, 'spec', 'schedulerName') ?? ''),
    'spec.serviceAccountName': String(at(object, 'spec', 'serviceAccountName') ?? ''),
    'spec.hostNetwork': String(at(object, 'spec', 'hostNetwork') ?? false),
    'status.phase': String(statusOf(object).phase ?? ''),
    'status.podIP': String(statusOf(object).podIP ?? ''),
    'status.nominatedNodeName': String(statusOf(object).nominatedNodeName ?? ''),
  }),
  strategy: {
    defaults: (object) => {
      const spec = specOf(object);
      defaultPodSpec(spec);
      spec.enableServiceLinks ??= true;
    },
    prepareForCreate: (object) => {
      object.status = { phase: 'Pending', qosClass: qosClass(specOf(object)) };
      const spec = specOf(object);
      spec.priority ??= 0;
      spec.preemptionPolicy ??= 'PreemptLowerPriority';
      spec.tolerations ??= DEFAULT_TOLERATIONS;
    },
    validate: (object) => validatePodSpec(specOf(object), 'spec'),
    validateUpdate: validatePodUpdate,
  },
});

const DEFAULT_TOLERATIONS = ['not-ready', 'unreachable'].map((name) => ({
  key: `node.kubernetes.io/${name}`,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 300,
}));

/** A pod is what it was made to be, but for these. */
function validatePodUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const wanted = structuredClone(specOf(object));
  const before = specOf(old);
  for (const field of ['containers', 'initContainers']) {
    list(wanted[field]).forEach((container, index) => {
      const image = list(before[field])[index]?.image;
      if (image !== undefined) container.image = image;
    });
  }
  for (const field of ['activeDeadlineSeconds', 'tolerations', 'terminationGracePeriodSeconds']) {
    if (before[field] === undefined) delete wanted[field];
    else wanted[field] = before[field];
  }
  // Binding: the node may be named once.
  if (!before.nodeName) delete wanted.nodeName;
  if (deepEqual(wanted, before)) return [];
  const detail =
    'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';
  return [banned('spec', detail)];
}

function readyOf(object: KubeObject): string {
  const statuses = list(statusOf(object).containerStatuses);
  const sidecars = list(at(object, 'spec', 'initContainers')).filter(
    ({ restartPolicy }) => restartPolicy === 'Always',
  ).length;
  const total = list(at(object, 'spec', 'containers')).length + sidecars;
  return `${statuses.filter(({ ready }) => ready).length}/${total}`;
}

/** The one word for a pod that kubectl shows: the most telling of its containers' states. */
function statusText(object: KubeObject): string {
  const status = statusOf(object);
  const base = String(status.reason ?? status.phase ?? 'Unknown');
  const initialising = initText(object);
  if (initialising) return object.metadata.deletionTimestamp ? 'Terminating' : initialising;
  let reason = base;
  let running = false;
  for (const container of list(status.containerStatuses).reverse()) {
    const state = (container.state ?? {}) as Record<string, Fields | undefined>;
    if (state.waiting?.reason) reason = String(state.waiting.reason);
    else if (state.terminated) reason = terminatedText(state.terminated);
    else if (state.running && container.ready) running = true;
  }
  if (reason === 'Completed' && running) reason = isReady(status) ? 'Running' : 'NotReady';
  if (!object.metadata.deletionTimestamp) return reason;
  return status.reason === 'NodeLost' ? 'Unknown' : 'Terminating';
}

function initText(object: KubeObject): string | undefined {
  const total = list(at(object, 'spec', 'initContainers')).length;
  for (const [index, container] of list(statusOf(object).initContainerStatuses).entries()) {
    const state = (container.state ?? {}) as Record<string, Fields | undefined>;
    if (state.terminated?.exitCode === 0) continue;
    if (container.started && state.running) continue;
    if (state.terminated) return `Init:${terminatedText(state.terminated)}`;
    const waiting = String(state.waiting?.reason ?? '');
    return waiting !== '' && waiting !== 'PodInitializing' ? `Init:${waiting}` : `Init:${index}/${total}`;
  }
  return undefined;
}

function terminatedText({ reason, signal, exitCode }: Fields): string {
  if (reason) return String(reason);
  return signal ? `Signal:${signal}` : `ExitCode:${exitCode}`;
}

function isReady(status: Fields): boolean {
  return list(status.conditions).some(({ type, status: value }) => type === 'Ready' && value === 'True');
}

function restartsOf(object: KubeObject, now: number): string {
  const statuses = list(statusOf(object).containerStatuses);
  const count = statuses.reduce((sum, { restartCount }) => sum + Number(restartCount ?? 0), 0);
  const ends = statuses
    .map((status) => String(at(status, 'lastState', 'terminated', 'finishedAt') ?? ''))
    .filter(Boolean);
  if (count === 0 || ends.length === 0) return String(count);
  return `${count} (${humanDuration(now - Math.max(...ends.map((end) => Date.parse(end))))} ago)`;
}
