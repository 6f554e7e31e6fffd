import { type LabelSelector, matchesLabelSelector, requirementsOf } from '../../../schema/label-selector.ts';
import type { KubeObject } from '../../../schema/object.ts';
import { DEPLOYMENT, REPLICA_SET } from '../../../schema/resources.ts';
import { deepEqual } from '../../store/deep-equal.ts';
import { type FieldError, required, wrong } from '../errors.ts';
import type { Kind } from '../kind.ts';
import { validateLabels } from '../validation/metadata.ts';
import { validatePodSpec } from '../validation/pod-spec.ts';
import { validateSelector } from '../validation/selector.ts';
import { choice, negative } from '../validation/values.ts';
import { at, defineKind, integer, orNone, text } from './define.ts';
import { defaultPodSpec, fill, list } from './pod-defaults.ts';

type Fields = Record<string, unknown>;

function specOf(object: KubeObject): Fields {
  object.spec ??= {};
  return object.spec as Fields;
}
function templateOf(object: KubeObject): Fields {
  const spec = specOf(object);
  spec.template ??= {};
  return spec.template as Fields;
}
const SCALE = {
  replicas: ['spec', 'replicas'],
  statusReplicas: ['status', 'replicas'],
  selector: ['spec', 'selector'],
};

const containers = (object: KubeObject) => at(object, 'spec', 'template', 'spec', 'containers');

/** What `-o wide` adds for everything that has a pod template in its spec. */
export const workloadColumns = [
  text('Containers', (object) => containersText(containers(object)), true),
  text('Images', (object) => imagesText(containers(object)), true),
  text('Selector', (object) => selectorText(at(object, 'spec', 'selector') as LabelSelector | undefined), true),
];

export function containersText(value: unknown): string {
  return list(value)
    .map(({ name }) => name)
    .join(',');
}

export function imagesText(value: unknown): string {
  return list(value)
    .map(({ image }) => image)
    .join(',');
}

export const deployment: Kind = defineKind(DEPLOYMENT, {
  schema: 'io.k8s.api.apps.v1.Deployment',
  zero: { spec: { strategy: {}, template: { metadata: {}, spec: { containers: [] } } } },
  status: true,
  generation: true,
  scale: SCALE,
  shortNames: ['deploy'],
  categories: ['all'],
  columns: [
    text('Ready', (object) => `${at(object, 'status', 'readyReplicas') ?? 0}/${at(object, 'spec', 'replicas') ?? 0}`),
    text('Up-to-date', (object) => at(object, 'status', 'updatedReplicas') ?? 0),
    text('Available', (object) => at(object, 'status', 'availableReplicas') ?? 0),
  ],
  wide: workloadColumns,
  strategy: {
    defaults: (object) => {
      const spec = specOf(object);
      fill(spec, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600, strategy: {} });
      const strategy = spec.strategy as Fields;
      strategy.type ??= 'RollingUpdate';
      if (strategy.type === 'RollingUpdate') {
        strategy.rollingUpdate ??= {};
        fill(strategy.rollingUpdate as Fields, { maxUnavailable: '25%', maxSurge: '25%' });
      }
      defaultTemplate(object);
    },
    prepareForCreate: (object) => {
      object.status = {};
    },
    validate: (object) => [...validateWorkload(object), ...validateRollout(specOf(object))],
    validateUpdate: (object, old) => keepSelector(object, old),
  },
});

export const replicaSet: Kind = defineKind(REPLICA_SET, {
  schema: 'io.k8s.api.apps.v1.ReplicaSet',
  zero: { spec: { template: { metadata: {}, spec: { containers: [] } } } },
  status: true,
  generation: true,
  scale: SCALE,
  shortNames: ['rs'],
  categories: ['all'],
  columns: [
    integer('Desired', (object) => at(object, 'spec', 'replicas') ?? 0),
    integer('Current', (object) => at(object, 'status', 'replicas') ?? 0),
    integer('Ready', (object) => at(object, 'status', 'readyReplicas') ?? 0),
  ],
  wide: workloadColumns,
  strategy: {
    defaults: (object) => {
      fill(specOf(object), { replicas: 1 });
      defaultTemplate(object);
    },
    prepareForCreate: (object) => {
      object.status = { replicas: 0 };
    },
    validate: validateWorkload,
    validateUpdate: (object, old) => keepSelector(object, old),
  },
});

/** `object` holds the template in its `spec`. */
export function defaultTemplate(object: KubeObject): void {
  const template = templateOf(object);
  template.metadata ??= {};
  template.spec ??= {};
  defaultPodSpec(template.spec as Fields);
}

function validateWorkload(object: KubeObject): FieldError[] {
  const spec = specOf(object);
  const selector = spec.selector as LabelSelector | undefined;
  const errors = negative(spec.replicas, 'spec.replicas');
  errors.push(
    ...negative(spec.minReadySeconds, 'spec.minReadySeconds'),
    ...negative(spec.revisionHistoryLimit, 'spec.revisionHistoryLimit'),
  );
  if (!selector) errors.push(required('spec.selector'));
  else {
    errors.push(...validateSelector(selector, 'spec.selector'));
    if (requirementsOf(selector).length === 0)
      errors.push(wrong('spec.selector', selector, 'empty selector is invalid for deployment'));
  }
  return [...errors, ...validateTemplate(templateOf(object), selector)];
}

function validateTemplate(template: Fields, selector: LabelSelector | undefined): FieldError[] {
  const labels = (template.metadata as Fields | undefined)?.labels as Record<string, string> | undefined;
  const errors = validateLabels(labels, 'spec.template.labels');
  if ((!selector || requirementsOf(selector).length > 0) && !matchesLabelSelector(selector, labels)) {
    errors.push(wrong('spec.template.metadata.labels', labels, '`selector` does not match template `labels`'));
  }
  const spec = template.spec as Fields;
  errors.push(...validatePodSpec(spec, 'spec.template.spec'));
  if (spec.restartPolicy !== 'Always')
    errors.push(...choice(spec.restartPolicy, ['Always'], 'spec.template.spec.restartPolicy'));
  return errors;
}

function validateRollout(spec: Fields): FieldError[] {
  const { type, rollingUpdate } = spec.strategy as { type: string; rollingUpdate?: Fields };
  const errors = choice(type, ['Recreate', 'RollingUpdate'], 'spec.strategy.type');
  if (type === 'Recreate' && rollingUpdate) {
    errors.push({
      type: 'FieldValueForbidden',
      field: 'spec.strategy.rollingUpdate',
      detail: "may not be specified when strategy `type` is 'Recreate'",
    });
  }
  const [unavailable, surge] = [rollingUpdate?.maxUnavailable, rollingUpdate?.maxSurge];
  for (const [name, value] of Object.entries({ maxUnavailable: unavailable, maxSurge: surge })) {
    errors.push(...validateShare(value, `spec.strategy.rollingUpdate.${name}`));
  }
  if (isZero(unavailable) && isZero(surge)) {
    errors.push(wrong('spec.strategy.rollingUpdate.maxUnavailable', unavailable, 'may not be 0 when `maxSurge` is 0'));
  }
  const deadline = spec.progressDeadlineSeconds as number;
  if (deadline <= ((spec.minReadySeconds as number | undefined) ?? 0)) {
    errors.push(wrong('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds'));
  }
  return errors;
}

function validateShare(value: unknown, field: string): FieldError[] {
  if (typeof value === 'number') return negative(value, field);
  if (typeof value !== 'string' || /^\d+%$/.test(value)) return [];
  return [
    wrong(
      field,
      value,
      "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
    ),
  ];
}

function isZero(value: unknown): boolean {
  return value === 0 || value === '0%';
}

function keepSelector(object: KubeObject, old: KubeObject): FieldError[] {
  const [wanted, before] = [specOf(object).selector, specOf(old).selector];
  return deepEqual(wanted, before) ? [] : [wrong('spec.selector', wanted, 'field is immutable')];
}

export function selectorText(selector: LabelSelector | undefined): unknown {
  if (!selector) return '<none>';
  const parts = requirementsOf(selector).map(({ key, operator, values = [] }) => {
    if (operator === 'Exists') return key;
    if (operator === 'DoesNotExist') return `!${key}`;
    if (operator === 'In' && values.length === 1) return `${key}=${values[0]}`;
    return `${key} ${operator === 'In' ? 'in' : 'notin'} (${values.join(',')})`;
  });
  return orNone(parts.sort().join(','));
}
