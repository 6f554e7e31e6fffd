import type { KubeObject } from '../../../schema/object.ts';
import { KubeError } from '../../../schema/status.ts';
import type { FieldError } from '../errors.ts';
import type { Column, Kind, RuleContext } from '../kind.ts';
import { ageColumn, nameColumn } from '../kinds/define.ts';
import type { Schema } from '../schema.ts';
import { ageOf } from '../table.ts';
import { applyDefaults } from './default-value.ts';
import type { Definition, DefinitionVersion, PrinterColumn } from './definition.ts';
import { evaluateRules, rulesAfter } from './evaluate-rules.ts';
import { fieldsOf, parseJsonPath, readJsonPath } from './json-path.ts';
import { validateValue } from './validate-value.ts';

/** The kinds that a definition brings: one a served version, all stored together. */
export function customKinds(definition: Definition): Kind[] {
  return definition.spec.versions.filter(({ served }) => served).map((version) => customKind(definition, version));
}

function customKind(definition: Definition, version: DefinitionVersion): Kind {
  const { spec } = definition;
  const { names, group } = spec;
  const schema: Schema = version.schema?.openAPIV3Schema ?? {
    type: 'object',
    'x-kubernetes-preserve-unknown-fields': true,
  };
  const { status, scale } = version.subresources ?? {};
  return {
    group,
    version: version.name,
    kind: names.kind,
    plural: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    namespaced: spec.scope === 'Namespaced',
    ...(names.shortNames && { shortNames: names.shortNames }),
    ...(names.categories && { categories: names.categories }),
    storage: `${names.plural}.${group}`,
    storedVersion: spec.versions.find(({ storage }) => storage)!.name,
    schema,
    generation: true,
    custom: true,
    ...(status && { status: true }),
    ...(scale && {
      scale: {
        replicas: fieldsOf(scale.specReplicasPath),
        statusReplicas: fieldsOf(scale.statusReplicasPath),
        ...(scale.labelSelectorPath && { selector: fieldsOf(scale.labelSelectorPath) }),
      },
    }),
    columns: columnsOf(version.additionalPrinterColumns),
    ...(version.selectableFields && { selectable: selectableOf(version.selectableFields) }),
    strategy: {
      defaults: (object) => applyDefaults(schema, object),
      prepareForCreate: (_object, context) => refuseWhileGoing(definition, context),
      validate: (object) => validateCustom(schema, object),
      validateUpdate: (object, old) => validateChange(schema, object, old),
      validateStatus: (object, old) => [...validateCustom(schema, object), ...validateChange(schema, object, old)],
    },
  };
}

function refuseWhileGoing({ metadata }: Definition, { view }: RuleContext): void {
  const now = view.get({
    resource: 'customresourcedefinitions.apiextensions.k8s.io',
    namespace: '',
    name: metadata.name,
  });
  if (now && !now.object.metadata.deletionTimestamp) return;
  throw new KubeError(405, 'MethodNotAllowed', 'create not allowed while custom resource definition is terminating');
}

function validateCustom(schema: Schema, object: KubeObject): FieldError[] {
  const value = contentOf(object);
  return rulesAfter(schema, validateValue(schema, value, ''), { value, field: '' });
}

function validateChange(schema: Schema, object: KubeObject, old: KubeObject): FieldError[] {
  return evaluateRules(schema, { value: contentOf(object), old: contentOf(old), field: '' });
}

/** A schema may speak of metadata.name only; the rest of metadata has its own rules. */
function contentOf(object: KubeObject): Record<string, unknown> {
  return {
    ...object,
    metadata: {
      name: object.metadata.name,
      ...(object.metadata.generateName && { generateName: object.metadata.generateName }),
    },
  };
}

function columnsOf(columns: PrinterColumn[] | undefined): Column[] {
  return [nameColumn, ...(columns ? columns.map(columnOf) : [ageColumn])];
}

function columnOf({ name, type, format, description, priority, jsonPath }: PrinterColumn): Column {
  const steps = parseJsonPath(jsonPath) ?? [];
  return {
    name,
    type,
    ...(format && { format }),
    description: description ?? `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    ...(priority && { priority }),
    cell: (object, now) => cellOf(type, readJsonPath(steps, object), now),
  };
}

function cellOf(type: PrinterColumn['type'], values: unknown[], now: number): unknown {
  const value = values[0];
  if (value === undefined) return null;
  if (type === 'date') return ageOf(String(value), now);
  if (type === 'integer' || type === 'number') return typeof value === 'number' ? value : null;
  if (type === 'boolean') return typeof value === 'boolean' ? value : null;
  if (values.length > 1) return values.map(String).join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function selectableOf(fields: { jsonPath: string }[]): (object: KubeObject) => Record<string, string> {
  const paths = fields.map(({ jsonPath }) => ({
    name: jsonPath.replace(/^\./, ''),
    steps: parseJsonPath(jsonPath) ?? [],
  }));
  return (object) =>
    Object.fromEntries(paths.map(({ name, steps }) => [name, String(readJsonPath(steps, object)[0] ?? '')]));
}
