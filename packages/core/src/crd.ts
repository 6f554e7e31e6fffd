import { z } from 'zod';
import { GROUP, userDeploymentSpecSchema, userDeploymentStatusSchema, VERSION } from './user-deployment.ts';

/** CustomResourceDefinitions from the schemas, so that form, API and `kubectl apply` refuse the same things. */
export interface CustomResourceDefinition {
  apiVersion: 'apiextensions.k8s.io/v1';
  kind: 'CustomResourceDefinition';
  metadata: { name: string; labels?: Record<string, string> };
  spec: Record<string, unknown>;
}

export function userDeploymentDefinition(): CustomResourceDefinition {
  const plural = 'userdeployments';
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: {
        plural,
        singular: 'userdeployment',
        kind: 'UserDeployment',
        listKind: 'UserDeploymentList',
        shortNames: ['ud'],
        categories: ['berth', 'all'],
      },
      versions: [
        {
          name: VERSION,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: [
            { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
            { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
            { name: 'Update', type: 'string', jsonPath: '.status.update.state' },
            { name: 'URL', type: 'string', jsonPath: '.status.url' },
            { name: 'Template', type: 'string', jsonPath: '.spec.template.name', priority: 1 },
            { name: 'Serving', type: 'string', jsonPath: '.status.update.servingRevision', priority: 1 },
            {
              name: 'Message',
              type: 'string',
              jsonPath: '.status.conditions[?(@.type=="Ready")].message',
              priority: 1,
            },
            { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
          ],
          schema: {
            openAPIV3Schema: {
              type: 'object',
              description: 'Services that run together, with their volumes, secrets and public addresses.',
              required: ['spec'],
              properties: {
                apiVersion: { type: 'string', description: `Always ${GROUP}/${VERSION}.` },
                kind: { type: 'string', description: 'Always UserDeployment.' },
                metadata: { type: 'object' },
                spec: { description: 'What is wanted.', ...structural(userDeploymentSpecSchema) },
                status: { description: 'What was observed.', ...structural(userDeploymentStatusSchema) },
              },
            },
          },
        },
      ],
    },
  };
}

/** Keywords that mean the same in a structural schema. The rest of JSON Schema is dropped: the API checks it. */
const KEPT = new Set([
  'type',
  'description',
  'enum',
  'format',
  'pattern',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'required',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-validations',
  'x-kubernetes-preserve-unknown-fields',
]);
/** zod bounds integers by what a double holds; as a limit in a CRD that would be noise. */
const UNBOUNDED = new Set([Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]);

function structural(schema: z.ZodType): Record<string, unknown> {
  return convert(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as JsonSchema);
}

interface JsonSchema {
  [keyword: string]: unknown;
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  additionalProperties?: JsonSchema | boolean;
  allOf?: JsonSchema[];
  format?: string;
}

function convert(schema: JsonSchema): Record<string, unknown> {
  // `allOf` comes from chained checks on one value: fold it into one schema.
  const whole: JsonSchema = Object.assign({}, ...(schema.allOf ?? []), schema);
  const result: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(whole)) {
    if (KEPT.has(keyword) && !(typeof value === 'number' && UNBOUNDED.has(value))) result[keyword] = value;
  }
  if (whole.format === 'date-time') delete result.pattern;
  if (whole.properties) {
    result.properties = Object.fromEntries(
      Object.entries(whole.properties).map(([name, each]) => [name, convert(each)]),
    );
  }
  if (whole.items) result.items = convert(whole.items);
  if (typeof whole.additionalProperties === 'object' && Object.keys(whole.additionalProperties).length > 0) {
    result.additionalProperties = convert(whole.additionalProperties);
  }
  return result;
}
