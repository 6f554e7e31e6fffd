/**
 * Writes src/embedded/api/protobuf/messages.generated.json: how the kinds that `kubectl create` sends as protobuf are laid out.
 *
 *   npx tsx packages/kube/scripts/generate-protobuf.ts API APIMACHINERY
 *
 * API and APIMACHINERY are the sources of the Go modules k8s.io/api and k8s.io/apimachinery in the version to follow. Their struct tags
 * say all: field numbers, JSON names, what is inlined and what is a pointer (whose zero value counts).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [api, machinery] = process.argv.slice(2);
if (!api || !machinery) throw new Error('give the folders of k8s.io/api and k8s.io/apimachinery');

const PACKAGES: Record<string, string> = {
  ...Object.fromEntries(
    [
      'core',
      'apps',
      'batch',
      'networking',
      'rbac',
      'coordination',
      'storage',
      'discovery',
      'authentication',
      'authorization',
      'autoscaling',
    ].map((group) => [`${group}/v1`, join(api, group, 'v1/types.go')]),
  ),
  'meta/v1': join(machinery, 'pkg/apis/meta/v1/types.go'),
};
const ALIASES: Record<string, string> = { v1: 'core/v1', corev1: 'core/v1', metav1: 'meta/v1', apiv1: 'core/v1' };
const LEAVES: Record<string, string> = {
  'meta/v1.Time': 'time',
  'meta/v1.MicroTime': 'time',
  'resource.Quantity': 'quantity',
  'intstr.IntOrString': 'intOrString',
  'types.UID': 'string',
  'types.NodeName': 'string',
};
const SCALARS: Record<string, string> = {
  string: 'string',
  bool: 'bool',
  int32: 'int',
  int64: 'int',
  uint32: 'int',
  '[]byte': 'bytes',
  byte: 'bytes',
};
const ROOTS = [
  ...[
    'Namespace',
    'Pod',
    'Service',
    'ConfigMap',
    'Secret',
    'ServiceAccount',
    'ResourceQuota',
    'LimitRange',
    'Event',
    'PersistentVolumeClaim',
    'PersistentVolume',
    'Node',
  ].map((kind) => `core/v1.${kind}`),
  'apps/v1.Deployment',
  'apps/v1.ReplicaSet',
  'batch/v1.Job',
  'batch/v1.CronJob',
  'autoscaling/v1.Scale',
  'networking/v1.Ingress',
  'networking/v1.IngressClass',
  'networking/v1.NetworkPolicy',
  ...['Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'].map((kind) => `rbac/v1.${kind}`),
  'coordination/v1.Lease',
  'discovery/v1.EndpointSlice',
  'storage/v1.StorageClass',
  'authentication/v1.TokenRequest',
  'authentication/v1.TokenReview',
  'authentication/v1.SelfSubjectReview',
  'authorization/v1.SelfSubjectAccessReview',
  'authorization/v1.SelfSubjectRulesReview',
  'authorization/v1.SubjectAccessReview',
  'authorization/v1.LocalSubjectAccessReview',
  'meta/v1.DeleteOptions',
];

interface Field {
  number: string;
  name: string;
  type: string;
}

const structs = new Map<string, Field[]>();
const named = new Map<string, string>();
for (const [name, file] of Object.entries(PACKAGES)) readPackage(name, readFileSync(file, 'utf8'));

function readPackage(name: string, text: string): void {
  for (const [, type, body] of text.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm))
    structs.set(`${name}.${type}`, readFields(body!));
  for (const [, type, other] of text.matchAll(/^type (\w+) ((?:map|\[\]|string|int32|bool)\S*)/gm))
    named.set(`${name}.${type}`, other!);
}

function readFields(body: string): Field[] {
  const fields: Field[] = [];
  for (const line of body.split('\n')) {
    const match = /^\s*(?:\w+\s+)?(\S+)\s+`json:"([^"]*)".*protobuf:"\w+,(\d+),/.exec(line);
    if (!match) continue;
    const [, type, json, number] = match;
    const [jsonName, ...options] = json!.split(',');
    fields.push({ number: number!, name: options.includes('inline') || jsonName === '' ? '' : jsonName!, type: type! });
  }
  return fields;
}

/** `*` pointer, `[]` list, `{}` map, then a leaf or the name of a message. */
function encodeType(type: string, home: string): string {
  if (type.startsWith('*')) return `*${encodeType(type.slice(1), home)}`;
  if (type === '[]byte') return 'bytes';
  if (type.startsWith('[]')) return `[]${encodeType(type.slice(2), home)}`;
  const map = /^map\[[\w.]+\](.+)$/.exec(type);
  if (map) return `{}${encodeType(map[1]!, home)}`;
  if (SCALARS[type]) return SCALARS[type];
  const [prefix, short] = type.includes('.') ? type.split('.') : [home, type];
  const full = `${ALIASES[prefix!] ?? prefix}.${short}`;
  if (LEAVES[full]) return LEAVES[full];
  const other = named.get(full);
  if (other) return encodeType(other, full.split('.')[0]!);
  return full;
}

const result: Record<string, Record<string, [string, string]>> = {};
const pending = [...ROOTS];
for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
  if (result[name]) continue;
  const fields = structs.get(name);
  // What has no layout here (raw JSON inside managedFields) is skipped when it comes.
  if (!fields) continue;
  const home = name.split('.')[0]!;
  result[name] = Object.fromEntries(
    fields.map(({ number, name: json, type }) => [number, [json, encodeType(type, home)]]),
  );
  for (const [, type] of Object.values(result[name])) pending.push(type.replace(/^(\*|\[\]|\{\})+/, ''));
}
const lines = Object.keys(result)
  .sort()
  .map((name) => `${JSON.stringify(name)}:${JSON.stringify(result[name])}`);
writeFileSync(
  fileURLToPath(new URL('../src/embedded/api/protobuf/messages.generated.json', import.meta.url)),
  `{\n${lines.join(',\n')}\n}\n`,
);
console.log(`${lines.length} messages written`);
