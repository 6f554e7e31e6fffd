import type { LabelSelector } from '../../../schema/label-selector.ts';
import { matchesLabelSelector } from '../../../schema/label-selector.ts';
import type { KubeObject } from '../../../schema/object.ts';
import { deepEqual } from '../../store/deep-equal.ts';
import { banned, type FieldError, required, unsupported, wrong } from '../errors.ts';
import { validateLabels } from '../validation/metadata.ts';
import { validatePodSpec } from '../validation/pod-spec.ts';
import { validateSelector } from '../validation/selector.ts';
import { choice, negative } from '../validation/values.ts';
import { at } from './define.ts';
import { list } from './pod-defaults.ts';

type Fields = Record<string, unknown>;

/** What this cluster's Job controller would have to ignore is refused, so that nobody counts on it. */
const NOT_SERVED = ['podFailurePolicy', 'successPolicy', 'backoffLimitPerIndex', 'maxFailedIndexes', 'managedBy'];
const AMOUNTS = ['parallelism', 'completions', 'activeDeadlineSeconds', 'backoffLimit', 'ttlSecondsAfterFinished'];
const RESTART_POLICIES = ['OnFailure', 'Never'];
const FIXED = ['completions', 'selector', 'completionMode'];
const TERMINAL = ['Failed', 'Complete', 'FailureTarget', 'SuccessCriteriaMet'];

const specOf = (object: KubeObject) => object.spec as Fields;

export function validateJob(object: KubeObject): FieldError[] {
  const spec = specOf(object);
  const selector = spec.selector as LabelSelector | undefined;
  const labels = at(spec, 'template', 'metadata', 'labels') as Record<string, string> | undefined;
  const errors = validateJobSpec(spec, 'spec');
  if (!selector) return [required('spec.selector'), ...errors];
  errors.push(...validateSelector(selector, 'spec.selector'));
  if (!matchesLabelSelector(selector, labels))
    errors.push(wrong('spec.template.metadata.labels', labels, '`selector` does not match template `labels`'));
  // The controller finds a Job's pods by the labels that the server gives them.
  if (spec.manualSelector === true) errors.push(banned('spec.manualSelector', 'is not served by this cluster'));
  else errors.push(...validateOwnLabels(object, selector, labels ?? {}));
  return errors;
}

/** A selector that is made by the server selects this Job's pods and nobody else's. */
function validateOwnLabels(
  { metadata }: KubeObject,
  selector: LabelSelector,
  labels: Record<string, string>,
): FieldError[] {
  const own: Record<string, string> = {
    'controller-uid': metadata.uid ?? '',
    'job-name': metadata.name,
    'batch.kubernetes.io/controller-uid': metadata.uid ?? '',
    'batch.kubernetes.io/job-name': metadata.name,
  };
  const errors = Object.entries(own).flatMap(([label, value]) =>
    labels[label] === value
      ? []
      : [wrong('spec.template.metadata.labels', labels, `must be '${value}' for label '${label}'`)],
  );
  if (!matchesLabelSelector(selector, own))
    errors.push(wrong('spec.selector', selector, '`selector` not auto-generated'));
  return errors;
}

/** Without what only a Job of its own has, its selector: for the templates of CronJobs too. */
export function validateJobSpec(spec: Fields, field: string): FieldError[] {
  const errors = AMOUNTS.flatMap((name) => negative(spec[name], `${field}.${name}`));
  errors.push(...choice(spec.completionMode, ['NonIndexed'], `${field}.completionMode`));
  errors.push(
    ...choice(spec.podReplacementPolicy, ['Failed', 'TerminatingOrFailed'], `${field}.podReplacementPolicy`),
    ...NOT_SERVED.filter((name) => spec[name] !== undefined).map((name) =>
      banned(`${field}.${name}`, 'is not served by this cluster'),
    ),
  );
  const template = spec.template as Fields;
  errors.push(
    ...validateLabels(at(template, 'metadata', 'labels') as Record<string, string>, `${field}.template.labels`),
  );
  const pod = template.spec as Fields;
  errors.push(...validatePodSpec(pod, `${field}.template.spec`));
  if (pod.restartPolicy === 'Always')
    errors.push(required(`${field}.template.spec.restartPolicy`, 'valid values: "OnFailure", "Never"'));
  else if (!RESTART_POLICIES.includes(String(pod.restartPolicy)))
    errors.push(unsupported(`${field}.template.spec.restartPolicy`, pod.restartPolicy, RESTART_POLICIES));
  return errors;
}

export function validateJobUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const [spec, before] = [specOf(object), specOf(old)];
  const errors = FIXED.filter((name) => !deepEqual(spec[name], before[name])).map((name) =>
    wrong(`spec.${name}`, spec[name], 'field is immutable'),
  );
  const template =
    at(old, 'status', 'startTime') || before.suspend !== true
      ? before.template
      : withPlacement(before.template, spec.template);
  if (!deepEqual(spec.template, template)) errors.push(wrong('spec.template', spec.template, 'field is immutable'));
  return errors;
}

/** Where the pods of a Job that never started may run, and how they are labelled, may still be changed. */
function withPlacement(old: unknown, wanted: unknown): unknown {
  const template = structuredClone(old) as { metadata: Fields; spec: Fields };
  const from = wanted as { metadata: Fields; spec: Fields };
  for (const name of ['labels', 'annotations']) copy(template.metadata, from.metadata, name);
  for (const name of ['nodeSelector', 'tolerations', 'schedulingGates']) copy(template.spec, from.spec, name);
  return template;
}

function copy(to: Fields, from: Fields, name: string): void {
  if (from[name] === undefined) delete to[name];
  else to[name] = from[name];
}

export function validateJobStatus(object: KubeObject, old: KubeObject): FieldError[] {
  const [status, before] = [(object.status ?? {}) as Fields, (old.status ?? {}) as Fields];
  const errors = ['active', 'succeeded', 'failed', 'ready', 'terminating'].flatMap((name) =>
    negative(status[name], `status.${name}`),
  );
  const [conditions, earlier] = [list(status.conditions), list(before.conditions)];
  for (const type of TERMINAL) {
    if (isTrue(earlier, type) && !isTrue(conditions, type))
      errors.push(banned('status.conditions', `cannot disable the terminal ${type}=True condition`));
  }
  for (const name of ['failed', 'succeeded']) {
    const [now, then] = [Number(status[name] ?? 0), Number(before[name] ?? 0)];
    if (now < then) errors.push(wrong(`status.${name}`, now, `cannot decrease the ${name} counter`));
  }
  return [...errors, ...validateEnd(status, conditions)];
}

/** A Job that has ended says so in one way, and has nothing that still runs. */
function validateEnd(status: Fields, conditions: Fields[]): FieldError[] {
  const [complete, failed] = [isTrue(conditions, 'Complete'), isTrue(conditions, 'Failed')];
  const contradictions: [boolean, FieldError][] = [
    [complete && failed, banned('status.conditions', 'cannot set Complete=True and Failed=true conditions')],
    [
      complete && !isTrue(conditions, 'SuccessCriteriaMet'),
      banned('status.conditions', 'cannot set Complete=True condition without the SuccessCriteriaMet=true condition'),
    ],
    [
      failed && !isTrue(conditions, 'FailureTarget'),
      banned('status.conditions', 'cannot set Failed=True condition without the FailureTarget=true condition'),
    ],
    [
      complete && status.completionTime === undefined,
      required('status.completionTime', 'completionTime is required for Complete jobs'),
    ],
    [
      !complete && status.completionTime !== undefined,
      wrong(
        'status.completionTime',
        status.completionTime,
        'cannot set completionTime when there is no Complete=True condition',
      ),
    ],
    [
      (complete || failed) && Number(status.active ?? 0) > 0,
      wrong('status.active', status.active, 'active>0 is invalid for finished job'),
    ],
  ];
  return contradictions.filter(([found]) => found).map(([, error]) => error);
}

function isTrue(conditions: Fields[], type: string): boolean {
  return conditions.some((condition) => condition.type === type && condition.status === 'True');
}
