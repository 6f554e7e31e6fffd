import type { KubeObject, ResourceType } from '../../../schema/object.ts';
import { NODE_METRICS, POD_METRICS } from '../../../schema/resources.ts';
import type { Kind } from '../kind.ts';
import type { Usage, UsageSample } from '../node-agent.ts';
import { timestamp } from '../rules/rules.ts';
import { OBJECT_META, type Schema } from '../schema.ts';
import { at, nameColumn, text } from './define.ts';

/**
 * What metrics-server serves, of what the node measures: each object is that of a stored pod or node, seen through the latest sample.
 * One of which there is no measurement yet is not there.
 */
const amount: Schema = { type: 'string' };
const usage: Schema = { type: 'object', properties: { cpu: amount, memory: amount } };
const times: Record<string, Schema> = {
  apiVersion: { type: 'string' },
  kind: { type: 'string' },
  metadata: { $ref: `#/components/schemas/${OBJECT_META}` },
  timestamp: { type: 'string', format: 'date-time' },
  window: { type: 'string' },
};
const NANOS = 1e9;
const KIB = 1024;

export const metricsKinds: Kind[] = [
  measuredKind(POD_METRICS, {
    storage: 'pods',
    properties: {
      ...times,
      containers: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' }, usage } } },
    },
    measured: podMetrics,
  }),
  measuredKind(NODE_METRICS, { storage: 'nodes', properties: { ...times, usage }, measured: nodeMetrics }),
];

function measuredKind(
  type: ResourceType,
  {
    storage,
    properties,
    measured,
  }: Pick<Kind, 'storage'> & Required<Pick<Kind, 'measured'>> & Pick<Schema, 'properties'>,
): Kind {
  return {
    ...type,
    singular: '',
    storage,
    storedVersion: 'v1',
    schema: { type: 'object', properties: properties! },
    verbs: ['get', 'list'],
    columns: [nameColumn, text('Window', (object) => at(object, 'window'))],
    strategy: {},
    measured,
  };
}

function podMetrics(pod: KubeObject, sample: UsageSample): KubeObject | undefined {
  const own = sample.containers.filter(({ uid }) => uid === pod.metadata.uid);
  if (own.length === 0) return undefined;
  return {
    ...heading(POD_METRICS, pod, sample),
    containers: own.map(({ name, usage }) => ({ name, usage: amounts(usage) })),
  };
}

function nodeMetrics(node: KubeObject, sample: UsageSample): KubeObject {
  return { ...heading(NODE_METRICS, node, sample), usage: amounts(sample.node) };
}

function heading(type: ResourceType, { metadata }: KubeObject, sample: UsageSample): KubeObject {
  const { name, namespace, labels } = metadata;
  const now = timestamp(sample.takenAt);
  return {
    kind: type.kind,
    apiVersion: `${type.group}/${type.version}`,
    metadata: { name, ...(namespace && { namespace }), creationTimestamp: now, ...(labels && { labels }) },
    timestamp: now,
    window: `${(sample.windowMs / 1000).toFixed(3)}s`,
  };
}

function amounts({ cpuCores, memoryBytes }: Usage): { cpu: string; memory: string } {
  const nanos = Math.round(cpuCores * NANOS);
  return { cpu: nanos === 0 ? '0' : `${nanos}n`, memory: `${Math.round(memoryBytes / KIB)}Ki` };
}
