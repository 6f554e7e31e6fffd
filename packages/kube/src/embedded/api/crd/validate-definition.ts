import { banned, type FieldError, required, unsupported, wrong } from '../errors.ts';
import type { Schema } from '../schema.ts';
import { dns1035Label, dnsSubdomain } from '../validation/names.ts';
import { named } from '../validation/values.ts';
import { compileRule } from './cel.ts';
import type { Definition, DefinitionVersion } from './definition.ts';
import { parseJsonPath } from './json-path.ts';

export function validateDefinition(definition: Definition): FieldError[] {
  const { spec, metadata } = definition;
  const errors: FieldError[] = [];
  if (!spec?.group) return [required('spec.group')];
  if (!spec.names?.plural) return [required('spec.names.plural')];
  if (metadata.name !== `${spec.names.plural}.${spec.group}`) {
    errors.push(wrong('metadata.name', metadata.name, `must be spec.names.plural+"."+spec.group`));
  }
  errors.push(...named(spec.group, dnsSubdomain, 'spec.group'));
  if (!spec.group.includes('.'))
    errors.push(wrong('spec.group', spec.group, 'should be a domain with at least one dot'));
  if (spec.group.endsWith('.k8s.io') && !metadata.annotations?.['api-approved.kubernetes.io']) {
    errors.push(
      required(
        'metadata.annotations[api-approved.kubernetes.io]',
        'protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
      ),
    );
  }
  if (spec.scope !== 'Cluster' && spec.scope !== 'Namespaced') {
    errors.push(spec.scope ? unsupported('spec.scope', spec.scope, ['Cluster', 'Namespaced']) : required('spec.scope'));
  }
  errors.push(...validateNames(definition), ...validateVersions(spec.versions ?? []));
  if (spec.preserveUnknownFields)
    errors.push(wrong('spec.preserveUnknownFields', true, 'must be false in order to use defaults in the schema'));
  if (spec.conversion && spec.conversion.strategy !== 'None') {
    errors.push(banned('spec.conversion.strategy', 'the embedded cluster converts by apiVersion alone: use None'));
  }
  return errors;
}

function validateNames({ spec }: Definition): FieldError[] {
  const { kind, plural, singular, shortNames = [] } = spec.names;
  const errors = named(plural, dns1035Label, 'spec.names.plural');
  if (!kind) errors.push(required('spec.names.kind'));
  else errors.push(...named(kind.toLowerCase(), dns1035Label, 'spec.names.kind'));
  errors.push(...named(singular, dns1035Label, 'spec.names.singular'));
  shortNames.forEach((name, at) => {
    errors.push(...named(name, dns1035Label, `spec.names.shortNames[${at}]`));
  });
  return errors;
}

function validateVersions(versions: DefinitionVersion[]): FieldError[] {
  const storage = versions.filter((version) => version.storage).length;
  const errors =
    versions.length === 0 ? [required('spec.versions', 'must have exactly one version marked as storage version')] : [];
  if (versions.length > 0 && storage !== 1) {
    errors.push(
      wrong(
        'spec.versions',
        versions.map(({ name }) => name),
        'must have exactly one version marked as storage version',
      ),
    );
  }
  const names = versions.map(({ name }) => name);
  if (new Set(names).size !== names.length)
    errors.push(wrong('spec.versions', names, 'must contain unique version names'));
  for (const [at, version] of versions.entries()) errors.push(...validateVersion(version, `spec.versions[${at}]`));
  return errors;
}

function validateVersion(version: DefinitionVersion, field: string): FieldError[] {
  const errors = named(version.name, dns1035Label, `${field}.name`);
  const schema = version.schema?.openAPIV3Schema;
  const path = `${field}.schema.openAPIV3Schema`;
  if (!schema) errors.push(required(path, 'schemas are required'));
  else {
    if (schema.type !== 'object')
      errors.push(
        schema.type
          ? wrong(`${path}.type`, schema.type, 'must be object at the root')
          : required(`${path}.type`, 'must not be empty at the root'),
      );
    errors.push(...validateSchema(schema, path, true));
  }
  (version.additionalPrinterColumns ?? []).forEach((column, at) => {
    if (!parseJsonPath(column.jsonPath ?? ''))
      errors.push(
        wrong(
          `${field}.additionalPrinterColumns[${at}].jsonPath`,
          column.jsonPath,
          'must be a JSON path such as .spec.replicas',
        ),
      );
  });
  return errors;
}

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

/** What makes a schema structural: a type everywhere, nothing that cannot be pruned by. */
function validateSchema(schema: Schema, path: string, root = false): FieldError[] {
  const errors: FieldError[] = [];
  const free = schema['x-kubernetes-int-or-string'] || schema['x-kubernetes-preserve-unknown-fields'];
  if (!schema.type && !free && !root)
    errors.push(required(`${path}.type`, 'must not be empty for specified object fields'));
  if (schema.type && !TYPES.includes(schema.type)) errors.push(unsupported(`${path}.type`, schema.type, TYPES));
  if (schema.$ref) errors.push(banned(`${path}.$ref`, '$ref is not supported'));
  if (schema.uniqueItems)
    errors.push(
      banned(`${path}.uniqueItems`, 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic'),
    );
  if (schema.properties && typeof schema.additionalProperties === 'object') {
    errors.push(banned(`${path}.additionalProperties`, 'additionalProperties and properties are mutual exclusive'));
  }
  if (schema.type === 'array' && !schema.items) errors.push(required(`${path}.items`, 'must be specified'));
  errors.push(...validatePattern(schema, path), ...validateRules(schema, path), ...validateListType(schema, path));
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (root && name === 'metadata') continue;
    errors.push(...validateSchema(property, `${path}.properties[${name}]`));
  }
  if (schema.items) errors.push(...validateSchema(schema.items, `${path}.items`));
  if (typeof schema.additionalProperties === 'object')
    errors.push(...validateSchema(schema.additionalProperties, `${path}.additionalProperties`));
  return errors;
}

function validatePattern({ pattern }: Schema, path: string): FieldError[] {
  if (pattern === undefined) return [];
  try {
    new RegExp(pattern, 'u');
    return [];
  } catch (error) {
    return [
      wrong(`${path}.pattern`, pattern, `must be a valid regular expression, but isn't: ${(error as Error).message}`),
    ];
  }
}

function validateRules(schema: Schema, path: string): FieldError[] {
  return (schema['x-kubernetes-validations'] ?? []).flatMap((rule, at) => {
    const problem = compileRule(rule.rule);
    return problem instanceof Error
      ? [wrong(`${path}.x-kubernetes-validations[${at}].rule`, rule.rule, `compilation failed: ${problem.message}`)]
      : [];
  });
}

function validateListType(schema: Schema, path: string): FieldError[] {
  if (schema['x-kubernetes-list-type'] !== 'map') return [];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  if (keys.length === 0)
    return [required(`${path}.x-kubernetes-list-map-keys`, 'must not be empty if x-kubernetes-list-type is map')];
  return keys
    .filter((key) => !schema.items?.properties || !Object.hasOwn(schema.items.properties, key))
    .map((key) => wrong(`${path}.x-kubernetes-list-map-keys`, key, 'entries must all be names of item properties'));
}
