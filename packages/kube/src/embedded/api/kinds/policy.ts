import type { KubeObject } from '../../../schema/object.ts';
import { isQuantity, quantityNanos } from '../../../schema/quantity.ts';
import { LEASE, LIMIT_RANGE, RESOURCE_QUOTA } from '../../../schema/resources.ts';
import { type FieldError, wrong } from '../errors.ts';
import type { Kind } from '../kind.ts';
import { at, defineKind, text } from './define.ts';
import { list } from './pod-defaults.ts';

type Amounts = Record<string, string>;

export const resourceQuota: Kind = defineKind(RESOURCE_QUOTA, {
  schema: 'io.k8s.api.core.v1.ResourceQuota',
  status: true,
  returnsDeleted: true,
  shortNames: ['quota'],
  columns: [
    text('Request', (object) => quotaText(object, (name) => !name.startsWith('limits.'))),
    text('Limit', (object) => quotaText(object, (name) => name.startsWith('limits.'))),
  ],
  strategy: {
    prepareForCreate: (object) => {
      object.status = {};
    },
    validate: (object) => {
      const hard = (at(object, 'spec', 'hard') ?? {}) as Amounts;
      return Object.entries(hard).flatMap(([name, amount]) => validateAmount(`spec.hard[${name}]`, amount));
    },
  },
});

function validateAmount(field: string, amount: string): FieldError[] {
  return isQuantity(amount) && quantityNanos(amount) >= 0n
    ? []
    : [wrong(field, amount, 'must be greater than or equal to 0')];
}

function quotaText(object: KubeObject, chosen: (name: string) => boolean): string {
  const hard = (at(object, 'status', 'hard') ?? {}) as Amounts;
  const used = (at(object, 'status', 'used') ?? {}) as Amounts;
  return Object.keys(hard)
    .filter(chosen)
    .sort()
    .map((name) => `${name}: ${used[name] ?? 0}/${hard[name]}`)
    .join(', ');
}

export const limitRange: Kind = defineKind(LIMIT_RANGE, {
  schema: 'io.k8s.api.core.v1.LimitRange',
  shortNames: ['limits'],
  columns: [{ name: 'Created At', type: 'string', cell: ({ metadata }) => metadata.creationTimestamp }],
  withoutAge: true,
  strategy: {
    defaults: (object) => {
      for (const item of list(at(object, 'spec', 'limits'))) defaultLimits(item as Record<string, Amounts>);
    },
  },
});

/** For containers: what is not said follows from max, then from default, then from min. */
function defaultLimits(item: Record<string, Amounts>): void {
  if ((item.type as unknown) !== 'Container') return;
  const limits = { ...item.max, ...item.default };
  const requests = { ...item.min, ...limits, ...item.defaultRequest };
  if (Object.keys(limits).length > 0) item.default = limits;
  if (Object.keys(requests).length > 0) item.defaultRequest = requests;
}

export const lease: Kind = defineKind(LEASE, {
  versionRequired: true,
  schema: 'io.k8s.api.coordination.v1.Lease',
  columns: [text('Holder', (object) => at(object, 'spec', 'holderIdentity') ?? '')],
  strategy: {
    validate: (object) => {
      const seconds = at(object, 'spec', 'leaseDurationSeconds');
      return typeof seconds === 'number' && seconds <= 0
        ? [wrong('spec.leaseDurationSeconds', seconds, 'must be greater than 0')]
        : [];
    },
  },
});
