import { createHash } from 'node:crypto';
import type { Kind } from '../kind.ts';
import type { Registry } from '../registry.ts';
import { OBJECT_META, type Schema, schemas } from '../schema.ts';
import { SERVER_VERSION } from './discovery.ts';

/** OpenAPI v3, one document a group and version: what `kubectl explain`, `apply` and completion read. */
const REF = '#/components/schemas/';
const PATCH_TYPES = ['application/json-patch+json', 'application/merge-patch+json', 'application/apply-patch+yaml'];
const QUERY = ['dryRun', 'fieldManager', 'fieldValidation'];

export function openApiIndex(registry: Registry) {
  const paths: Record<string, { serverRelativeURL: string }> = {};
  for (const path of groupPaths(registry)) {
    const hash = createHash('sha256')
      .update(JSON.stringify(documentFor(registry, path)))
      .digest('hex')
      .toUpperCase();
    paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` };
  }
  return { paths };
}

function groupPaths(registry: Registry): string[] {
  return [...new Set(registry.all().map(pathOf))].sort();
}

function pathOf({ group, version }: Kind): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`;
}

export function openApiDocument(registry: Registry, path: string) {
  return groupPaths(registry).includes(path) ? documentFor(registry, path) : undefined;
}

function documentFor(registry: Registry, path: string) {
  const kinds = registry.all().filter((kind) => pathOf(kind) === path);
  const found: Record<string, Schema> = {};
  const paths: Record<string, unknown> = {};
  for (const kind of kinds) {
    const name = schemaName(kind);
    found[name] = { ...withTypeFields(kind), ...kindExtension(kind) };
    Object.assign(paths, pathsFor(kind, path, name));
  }
  collectReferences(Object.values(found), found);
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: SERVER_VERSION.gitVersion },
    paths,
    components: { schemas: found },
  };
}

function schemaName(kind: Kind): string {
  if (!kind.custom) {
    const known = Object.entries(schemas).find(([, schema]) => schema === kind.schema)?.[0];
    if (known) return known;
  }
  return `${kind.group.split('.').reverse().join('.')}.${kind.version}.${kind.kind}`;
}

function withTypeFields(kind: Kind): Schema {
  if (!kind.custom) return kind.schema;
  const type = { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: { $ref: REF + OBJECT_META } };
  return {
    ...kind.schema,
    type: 'object',
    properties: { ...type, ...kind.schema.properties, metadata: type.metadata },
  };
}

function kindExtension({ group, version, kind }: Kind) {
  return { 'x-kubernetes-group-version-kind': [{ group, version, kind }] };
}

function collectReferences(value: unknown, found: Record<string, Schema>): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    if (key !== '$ref' || typeof item !== 'string') {
      collectReferences(item, found);
      continue;
    }
    const name = item.slice(REF.length);
    if (found[name] || !schemas[name]) continue;
    found[name] = schemas[name];
    collectReferences(schemas[name], found);
  }
}

function pathsFor(kind: Kind, base: string, schema: string): Record<string, unknown> {
  const collection = `/${base}/${kind.namespaced ? 'namespaces/{namespace}/' : ''}${kind.plural}`;
  const gvk = { group: kind.group, version: kind.version, kind: kind.kind };
  const body = { content: { 'application/json': { schema: { $ref: REF + schema } } } };
  const responses = { 200: { description: 'OK', ...body } };
  const operation = (action: string) => ({
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': gvk,
    parameters: QUERY.map((name) => ({ name, in: 'query', schema: { type: 'string', uniqueItems: true } })),
    responses,
  });
  const patch = {
    content: Object.fromEntries(
      [...PATCH_TYPES, ...(kind.custom ? [] : ['application/strategic-merge-patch+json'])].map((type) => [
        type,
        { schema: { type: 'object' } },
      ]),
    ),
  };
  return {
    [collection]: { get: operation('list'), post: { ...operation('post'), requestBody: body } },
    [`${collection}/{name}`]: {
      get: operation('get'),
      put: { ...operation('put'), requestBody: body },
      patch: { ...operation('patch'), requestBody: patch },
      delete: operation('delete'),
    },
  };
}
