import type { KubeObject } from '../../../schema/object.ts';
import { CUSTOM_RESOURCE_DEFINITION } from '../../../schema/resources.ts';
import type { Definition } from '../crd/definition.ts';
import { acceptNames, establish } from '../crd/names.ts';
import { validateDefinition } from '../crd/validate-definition.ts';
import { wrong } from '../errors.ts';
import type { Kind } from '../kind.ts';
import { defineKind } from './define.ts';
import { fill, list } from './pod-defaults.ts';

/** Holds a definition until its objects are gone. */
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

const specOf = (object: KubeObject) => object.spec as Definition['spec'];

export const customResourceDefinition: Kind = defineKind(CUSTOM_RESOURCE_DEFINITION, {
  schema: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition',
  status: true,
  generation: true,
  zero: { spec: { names: {} } },
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  withoutAge: true,
  columns: [{ name: 'Created At', type: 'date', cell: ({ metadata }) => metadata.creationTimestamp }],
  strategy: {
    defaults: (object) => {
      const spec = specOf(object);
      if (!spec?.names) return;
      fill(spec.names as unknown as Record<string, unknown>, {
        singular: spec.names.kind?.toLowerCase(),
        listKind: `${spec.names.kind}List`,
      });
      fill(spec as unknown as Record<string, unknown>, { conversion: { strategy: 'None' } });
      for (const version of list(spec.versions))
        for (const column of list(version.additionalPrinterColumns)) if (column.priority === 0) delete column.priority;
    },
    prepareForCreate: (object, context) => {
      object.metadata.finalizers = [...new Set([...(object.metadata.finalizers ?? []), CLEANUP_FINALIZER])];
      object.status = {
        conditions: [],
        acceptedNames: { plural: '', kind: '' },
        storedVersions: storedVersions(object),
      };
      acceptNames(object as Definition, context);
      establish(object as Definition, context);
    },
    prepareForUpdate: (object, old, context) => {
      const status = structuredClone(old.status) as Definition['status'];
      for (const version of storedVersions(object))
        if (!status.storedVersions.includes(version)) status.storedVersions.push(version);
      object.status = status;
      acceptNames(object as Definition, context);
      establish(object as Definition, context);
    },
    validate: (object) => validateDefinition(object as Definition),
    validateUpdate: (object, old) => {
      const [wanted, before] = [specOf(object), specOf(old)];
      const errors = wanted.group === before.group ? [] : [wrong('spec.group', wanted.group, 'field is immutable')];
      if (wanted.scope !== before.scope) errors.push(wrong('spec.scope', wanted.scope, 'field is immutable'));
      if (wanted.names?.plural !== before.names.plural)
        errors.push(wrong('spec.names.plural', wanted.names?.plural, 'field is immutable'));
      if (wanted.names?.kind !== before.names.kind)
        errors.push(wrong('spec.names.kind', wanted.names?.kind, 'field is immutable'));
      return errors;
    },
  },
});

function storedVersions(object: KubeObject): string[] {
  return (specOf(object)?.versions ?? []).filter(({ storage }) => storage).map(({ name }) => name);
}
