import type { KubeObject } from '../../../schema/object.ts';
import { EVENT } from '../../../schema/resources.ts';
import { required, wrong } from '../errors.ts';
import type { Kind } from '../kind.ts';
import { ageOf } from '../table.ts';
import { at, defineKind, text } from './define.ts';
import { fill } from './pod-defaults.ts';

const involved = (object: KubeObject, field: string) => String(at(object, 'involvedObject', field) ?? '');

const UNSAID = {
  eventTime: null,
  firstTimestamp: null,
  lastTimestamp: null,
  reportingComponent: '',
  reportingInstance: '',
  source: {},
  involvedObject: {},
};

export const event: Kind = {
  ...defineKind(EVENT, {
    schema: 'io.k8s.api.core.v1.Event',
    shortNames: ['ev'],
    zero: UNSAID,
    selectable: (object) => ({
      ...Object.fromEntries(
        ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'].map((field) => [
          `involvedObject.${field}`,
          involved(object, field),
        ]),
      ),
      reason: String(object.reason ?? ''),
      reportingComponent: String(object.reportingComponent ?? ''),
      source: String(at(object, 'source', 'component') ?? object.reportingComponent ?? ''),
      type: String(object.type ?? ''),
    }),
    strategy: {
      // These are in every event, said or not.
      defaults: (object) => fill(object, structuredClone(UNSAID)),
      validate: (object) => {
        const { namespace } = object.metadata;
        const of = involved(object, 'namespace');
        // What belongs to no namespace is told of in `default`.
        if (of === '' && namespace !== 'default')
          return [wrong('involvedObject.namespace', of, 'does not match event.namespace')];
        if (of !== '' && of !== namespace)
          return [wrong('involvedObject.namespace', of, 'does not match event.namespace')];
        return object.eventTime && !object.reportingComponent ? [required('reportingController')] : [];
      },
    },
  }),
  columns: [
    { name: 'Last Seen', type: 'string', cell: (object, now) => ageOf(lastSeen(object), now) },
    text('Type', ({ type }) => type ?? ''),
    text('Reason', ({ reason }) => reason ?? ''),
    text('Object', (object) => `${involved(object, 'kind').toLowerCase()}/${involved(object, 'name')}`),
    text('Subobject', (object) => involved(object, 'fieldPath'), true),
    text(
      'Source',
      (object) =>
        [at(object, 'source', 'component') ?? object.reportingComponent, at(object, 'source', 'host')]
          .filter(Boolean)
          .join(', '),
      true,
    ),
    text('Message', ({ message }) => String(message ?? '').trim()),
    { name: 'First Seen', type: 'string', priority: 1, cell: (object, now) => ageOf(firstSeen(object), now) },
    {
      name: 'Count',
      type: 'integer',
      priority: 1,
      cell: (object) => at(object, 'series', 'count') ?? object.count ?? 1,
    },
    { name: 'Name', type: 'string', format: 'name', priority: 1, cell: ({ metadata }) => metadata.name },
  ],
};

function lastSeen(object: KubeObject): string | undefined {
  return (at(object, 'series', 'lastObservedTime') ?? object.lastTimestamp ?? object.eventTime) as string | undefined;
}

function firstSeen(object: KubeObject): string | undefined {
  return (object.firstTimestamp ?? object.eventTime) as string | undefined;
}
