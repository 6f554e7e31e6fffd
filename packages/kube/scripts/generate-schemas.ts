/**
 * Writes src/embedded/api/schemas.generated.json from the OpenAPI v3 documents of a real Kubernetes:
 * the schemas of the kinds that the embedded server knows, without their descriptions, with the merge keys that strategic merge patch
 * and server-side apply need.
 *
 *   npx tsx packages/kube/scripts/generate-schemas.ts FOLDER
 *
 * FOLDER is `api/openapi-spec/v3` of the Kubernetes source (or of the Go module k8s.io/kubernetes) in the version to follow.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

type Json = Record<string, unknown>;

const ROOTS = [
  ...[
    'Namespace',
    'Node',
    'Pod',
    'Service',
    'ConfigMap',
    'Secret',
    'ServiceAccount',
    'Event',
    'LimitRange',
    'ResourceQuota',
  ],
  ...['PersistentVolume', 'PersistentVolumeClaim', 'Binding'],
]
  .map((kind) => `io.k8s.api.core.v1.${kind}`)
  .concat(
    'io.k8s.api.apps.v1.Deployment',
    'io.k8s.api.apps.v1.ReplicaSet',
    'io.k8s.api.apps.v1.ControllerRevision',
    'io.k8s.api.batch.v1.Job',
    'io.k8s.api.batch.v1.CronJob',
    'io.k8s.api.autoscaling.v1.Scale',
    'io.k8s.api.networking.v1.Ingress',
    'io.k8s.api.networking.v1.IngressClass',
    'io.k8s.api.networking.v1.NetworkPolicy',
    'io.k8s.api.discovery.v1.EndpointSlice',
    'io.k8s.api.storage.v1.StorageClass',
    'io.k8s.api.coordination.v1.Lease',
    'io.k8s.api.rbac.v1.Role',
    'io.k8s.api.rbac.v1.RoleBinding',
    'io.k8s.api.rbac.v1.ClusterRole',
    'io.k8s.api.rbac.v1.ClusterRoleBinding',
    'io.k8s.api.authentication.v1.TokenRequest',
    'io.k8s.api.authentication.v1.TokenReview',
    'io.k8s.api.authentication.v1.SelfSubjectReview',
    'io.k8s.api.authorization.v1.SelfSubjectAccessReview',
    'io.k8s.api.authorization.v1.SelfSubjectRulesReview',
    'io.k8s.api.authorization.v1.SubjectAccessReview',
    'io.k8s.api.authorization.v1.LocalSubjectAccessReview',
    'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition',
    'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions',
    'io.k8s.apimachinery.pkg.apis.meta.v1.Status',
  );

const KEPT = new Set([
  'type',
  'format',
  'default',
  'enum',
  'required',
  'x-kubernetes-patch-merge-key',
  'x-kubernetes-patch-strategy',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-int-or-string',
  'x-kubernetes-unions',
]);
const REF = '#/components/schemas/';

/** OpenAPI says a reference with a default as `allOf: [{ $ref }]`; here a reference stands by itself. */
function compact(schema: Json): Json {
  const all = schema.allOf as Json[] | undefined;
  if (all?.length === 1 && all[0]?.$ref) return { $ref: all[0].$ref };
  if (schema.$ref) return { $ref: schema.$ref };
  const result: Json = {};
  for (const [key, value] of Object.entries(schema)) {
    if (KEPT.has(key)) result[key] = value;
    else if (key === 'oneOf') result[key] = value;
    else if (key === 'properties') {
      result.properties = Object.fromEntries(
        Object.entries(value as Record<string, Json>).map(([name, of]) => [name, withMergeKeys(of)]),
      );
    } else if (key === 'items') result.items = compact(value as Json);
    else if (key === 'additionalProperties') result[key] = typeof value === 'object' ? compact(value as Json) : value;
  }
  return result;
}

/** A property that is a reference may still carry merge rules of its own. */
function withMergeKeys(schema: Json): Json {
  const result = compact(schema);
  for (const key of ['x-kubernetes-patch-strategy', 'x-kubernetes-map-type'])
    if (schema[key] !== undefined) result[key] = schema[key];
  return result;
}

function references(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(references);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, of]) =>
    key === '$ref' && typeof of === 'string' ? [of.slice(REF.length)] : references(of),
  );
}

const folder = process.argv[2];
if (!folder) throw new Error('give the folder that holds the OpenAPI v3 documents');

const known: Record<string, Json> = {};
for (const file of readdirSync(folder).filter((name) => name.includes('__v1_'))) {
  const document = JSON.parse(readFileSync(join(folder, file), 'utf8')) as {
    components?: { schemas?: Record<string, Json> };
  };
  Object.assign(known, document.components?.schemas ?? {});
}

const result: Record<string, Json> = {};
const pending = [...ROOTS];
for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
  if (result[name]) continue;
  const schema = known[name];
  if (!schema) throw new Error(`the documents have no schema ${name}`);
  result[name] = compact(schema);
  pending.push(...references(result[name]));
}
const sorted = Object.fromEntries(Object.entries(result).sort(([a], [b]) => (a < b ? -1 : 1)));
const lines = Object.entries(sorted).map(([name, schema]) => `${JSON.stringify(name)}:${JSON.stringify(schema)}`);
const target = fileURLToPath(new URL('../src/embedded/api/schemas.generated.json', import.meta.url));
writeFileSync(target, `{\n${lines.join(',\n')}\n}\n`);
console.log(`${lines.length} schemas written`);
