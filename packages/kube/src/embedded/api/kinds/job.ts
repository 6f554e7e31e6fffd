import type { LabelSelector } from '../../../schema/label-selector.ts';
import type { KubeObject } from '../../../schema/object.ts';
import { JOB } from '../../../schema/resources.ts';
import type { Kind } from '../kind.ts';
import { humanDuration } from '../table.ts';
import { dnsSubdomain, labelValue } from '../validation/names.ts';
import { at, defineKind, text } from './define.ts';
import { validateJob, validateJobStatus, validateJobUpdate } from './job-rules.ts';
import { fill, list } from './pod-defaults.ts';
import { defaultTemplate, workloadColumns } from './workload.ts';

type Fields = Record<string, unknown>;

const [NAME_LABELS, UID_LABELS] = [
  ['job-name', 'batch.kubernetes.io/job-name'],
  ['controller-uid', 'batch.kubernetes.io/controller-uid'],
];

export const job: Kind = defineKind(JOB, {
  schema: 'io.k8s.api.batch.v1.Job',
  zero: { spec: { template: { metadata: {}, spec: { containers: [] } } } },
  status: true,
  generation: true,
  // As batch/v1 always did: who deletes a Job without a word leaves its pods.
  orphansByDefault: true,
  categories: ['all'],
  selectable: (object) => ({ 'status.successful': String(at(object, 'status', 'succeeded') ?? 0) }),
  columns: [
    text('Status', statusText),
    text('Completions', completionsText),
    { name: 'Duration', type: 'string', cell: durationText },
  ],
  wide: workloadColumns,
  strategy: {
    // A label must hold the name; a longer one could not be told apart by its pods.
    name: (name) => [...dnsSubdomain(name), ...labelValue(name)],
    defaults: (object) => {
      defaultJobSpec(specOf(object));
      defaultTemplate(object);
      borrowLabels(object);
    },
    prepareForCreate: (object) => {
      object.status = {};
      if (specOf(object).manualSelector !== true) selectOwnPods(object);
      borrowLabels(object);
    },
    validate: validateJob,
    validateUpdate: validateJobUpdate,
    validateStatus: validateJobStatus,
  },
});

/** A Job without labels has its pods'. */
function borrowLabels(object: KubeObject): void {
  const { labels } = at(object, 'spec', 'template', 'metadata') as { labels?: Record<string, string> };
  if (labels && Object.keys(object.metadata.labels ?? {}).length === 0) object.metadata.labels = { ...labels };
}

function specOf(object: KubeObject): Fields {
  object.spec ??= {};
  return object.spec as Fields;
}

function defaultJobSpec(spec: Fields): void {
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  fill(spec, {
    parallelism: 1,
    backoffLimit: 6,
    completionMode: 'NonIndexed',
    suspend: false,
    podReplacementPolicy: 'TerminatingOrFailed',
    manualSelector: false,
  });
}

/** Labels that no other Job's pods have. What the client gave is left for the validation to refuse. */
function selectOwnPods(object: KubeObject): void {
  const { name, uid } = object.metadata;
  const spec = specOf(object);
  const metadata = (spec.template as Fields).metadata as { labels?: Record<string, string> };
  metadata.labels ??= {};
  for (const label of NAME_LABELS!) metadata.labels[label] ??= name;
  for (const label of UID_LABELS!) metadata.labels[label] ??= uid ?? '';
  spec.selector ??= {};
  const selector = spec.selector as LabelSelector;
  selector.matchLabels ??= {};
  selector.matchLabels[UID_LABELS![1]!] ??= uid ?? '';
}

function statusText(object: KubeObject): string {
  const met = list(at(object, 'status', 'conditions'))
    .filter(({ status }) => status === 'True')
    .map(({ type }) => String(type));
  const ended = ['Complete', 'Failed'].find((type) => met.includes(type));
  if (ended) return ended;
  if (object.metadata.deletionTimestamp) return 'Terminating';
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find((type) => met.includes(type)) ?? 'Running';
}

function completionsText(object: KubeObject): string {
  const succeeded = at(object, 'status', 'succeeded') ?? 0;
  const { completions, parallelism = 0 } = specOf(object) as { completions?: number; parallelism?: number };
  if (completions !== undefined) return `${succeeded}/${completions}`;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function durationText(object: KubeObject, now: number): string {
  const { startTime, completionTime } = (object.status ?? {}) as { startTime?: string; completionTime?: string };
  if (!startTime) return '';
  return humanDuration((completionTime ? Date.parse(completionTime) : now) - Date.parse(startTime));
}
