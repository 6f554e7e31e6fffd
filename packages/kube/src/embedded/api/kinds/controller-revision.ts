import { controllerOf } from '../../../client/owner.ts';
import type { KubeObject } from '../../../schema/object.ts';
import { CONTROLLER_REVISION } from '../../../schema/resources.ts';
import { deepEqual } from '../../store/deep-equal.ts';
import { type FieldError, required, wrong } from '../errors.ts';
import type { Kind } from '../kind.ts';
import { negative } from '../validation/values.ts';
import { defineKind, text } from './define.ts';

/** A state of its owner that somebody may want back: what it holds never changes, only its number does. */
export const controllerRevision: Kind = defineKind(CONTROLLER_REVISION, {
  schema: 'io.k8s.api.apps.v1.ControllerRevision',
  columns: [text('Controller', controllerText), text('Revision', ({ revision }) => String(revision ?? 0))],
  strategy: {
    defaults: (object) => {
      object.revision ??= 0;
    },
    validate: (object) => [...validateData(object.data), ...negative(object.revision, 'revision')],
    validateUpdate: (object, old) =>
      deepEqual(object.data, old.data) ? [] : [wrong('data', object.data, 'field is immutable')],
  },
});

function validateData(data: unknown): FieldError[] {
  if (data === undefined || data === null) return [required('data', 'data is mandatory')];
  return typeof data === 'object' && !Array.isArray(data) ? [] : [required('data', 'data must be a valid JSON object')];
}

function controllerText(object: KubeObject): string {
  const owner = controllerOf(object);
  if (!owner) return '<none>';
  const [group] = owner.apiVersion.includes('/') ? owner.apiVersion.split('/') : [''];
  return `${[owner.kind.toLowerCase(), group].filter(Boolean).join('.')}/${owner.name}`;
}
