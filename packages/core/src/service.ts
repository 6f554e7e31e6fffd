import { z } from 'zod';
import { environmentNameSchema, environmentValueSchema } from './environment.ts';
import { nameSchema } from './names.ts';
import { bytesSchema, cpuSchema } from './quantity.ts';

/** One service of a deployment: a container, how it is reached and what it keeps. The same in templates and in the CR. */
export const MAX_REPLICAS = 100;
export const READY_WITHIN_SECONDS = 300;
const listMap = (...keys: string[]) => ({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys });
const exactlyOne = (a: string, b: string) => ({
  'x-kubernetes-validations': [{ rule: `has(self.${a}) != has(self.${b})`, message: `give either ${a} or ${b}` }],
});
const givesOne = (a: unknown, b: unknown) => (a === undefined) !== (b === undefined);

export const secretKeySchema = z
  .string()
  .min(1)
  .max(253)
  .regex(/^[-._a-zA-Z0-9]+$/, { error: 'a secret\'s key has letters, digits, "-", "_" and "." only' });

export const environmentVariableSchema = z
  .strictObject({
    name: environmentNameSchema,
    value: environmentValueSchema.optional().describe('The value, byte for byte; nothing in it is expanded.'),
    secretKey: secretKeySchema.optional().describe("Takes the value from this key of the deployment's secrets."),
  })
  .refine((variable) => givesOne(variable.value, variable.secretKey), { error: 'give either value or secretKey' })
  .meta(exactlyOne('value', 'secretKey'));
export type EnvironmentVariable = z.infer<typeof environmentVariableSchema>;

const absolutePathSchema = z
  .string()
  .max(512)
  .regex(/^\/[^\0]*$/, { error: 'is not an absolute path such as /etc/app.conf' })
  .refine((path) => !path.split('/').includes('..'), { error: 'must not contain ".."' });

export const fileSchema = z
  .strictObject({
    path: absolutePathSchema,
    content: z
      .string()
      .max(512 * 1024)
      .optional(),
    secretKey: secretKeySchema.optional(),
  })
  .refine((file) => givesOne(file.content, file.secretKey), { error: 'give either content or secretKey' })
  .meta(exactlyOne('content', 'secretKey'));

export const portSchema = z.strictObject({
  name: nameSchema.max(15, { error: "a port's name has at most 15 characters" }),
  port: z.int().min(1).max(65535),
});

const probeActionShape = {
  http: z
    .strictObject({ path: z.string().max(2048).regex(/^\//), port: z.string().max(63).describe("A port's name.") })
    .optional(),
  tcp: z.strictObject({ port: z.string().max(63).describe("A port's name.") }).optional(),
  exec: z.strictObject({ command: z.array(z.string().max(4096)).min(1).max(64) }).optional(),
  grpc: z
    .strictObject({
      port: z.string().max(63).describe("A port's name."),
      service: z
        .string()
        .max(253)
        .optional()
        .describe('Sent with the health check of gRPC; the whole server when absent.'),
    })
    .optional(),
};
const PROBE_ACTIONS = ['http', 'tcp', 'exec', 'grpc'] as const;
const ONE_PROBE_ACTION = 'give exactly one of http, tcp, exec and grpc';
export const probeSchema = z
  .strictObject({
    ...probeActionShape,
    initialDelaySeconds: z.int().min(0).max(3600).optional(),
    periodSeconds: z.int().min(1).max(300).optional(),
    timeoutSeconds: z.int().min(1).max(300).optional(),
    failureThreshold: z.int().min(1).max(1000).optional(),
  })
  .refine((probe) => PROBE_ACTIONS.filter((action) => probe[action]).length === 1, { error: ONE_PROBE_ACTION })
  .meta({
    'x-kubernetes-validations': [
      {
        rule: `${PROBE_ACTIONS.map((action) => `(has(self.${action}) ? 1 : 0)`).join(' + ')} == 1`,
        message: ONE_PROBE_ACTION,
      },
    ],
  });
export type Probe = z.infer<typeof probeSchema>;

const amountSchema = z.strictObject({ cpu: cpuSchema.optional(), memory: bytesSchema.optional() });
const resourcesSchema = z.strictObject({ requests: amountSchema.optional(), limits: amountSchema.optional() });

/** What a service and a job have in common: a container. */
export const containerShape = {
  name: nameSchema,
  image: z.string().min(1).max(500).regex(/^\S+$/, { error: 'is not an image reference such as registry/name:tag' }),
  command: z.array(z.string().max(32768)).max(256).optional().describe("Replaces the image's entry point."),
  args: z.array(z.string().max(32768)).max(256).optional(),
  env: z.array(environmentVariableSchema).max(1000).optional().meta(listMap('name')),
  files: z.array(fileSchema).max(100).optional().meta(listMap('path')),
  resources: resourcesSchema.optional(),
};

export const volumeSchema = z.strictObject({
  name: nameSchema,
  mountPath: absolutePathSchema,
  size: bytesSchema.describe('How much the volume may hold, for example 1Gi.'),
});
export type Volume = z.infer<typeof volumeSchema>;

export const serviceSchema = z
  .strictObject({
    ...containerShape,
    ports: z.array(portSchema).max(20).optional().meta(listMap('name')),
    probes: z
      .strictObject({
        startup: probeSchema.optional(),
        readiness: probeSchema.optional(),
        liveness: probeSchema.optional(),
      })
      .optional(),
    replicas: z.int().min(0).max(MAX_REPLICAS).optional().describe('How many pods; 1 when absent.'),
    volumes: z.array(volumeSchema).max(10).optional().meta(listMap('name')),
    dependsOn: z
      .array(nameSchema)
      .max(20)
      .optional()
      .describe('Services that must be ready, and jobs that must have succeeded, before this one starts.'),
    readyWithinSeconds: z
      .int()
      .min(5)
      .max(3600)
      .optional()
      .describe(
        'How long a pod of a new version may take to become ready before the update is stopped; 300 when absent.',
      ),
    stopGraceSeconds: z.int().min(0).max(3600).optional(),
    restartedAt: z.string().max(64).optional().describe("Changing it replaces this service's pods."),
  })
  .superRefine((service, context) => {
    refuseTwice(service, context, [
      ['env', 'name'],
      ['files', 'path'],
      ['ports', 'name'],
      // Kubernetes refuses two of these in one pod; nobody should learn it only after the form was accepted.
      ['ports', 'port'],
      ['volumes', 'name'],
      ['volumes', 'mountPath'],
    ]);
    const ports = new Set((service.ports ?? []).map((port) => port.name));
    for (const [kind, probe] of Object.entries(service.probes ?? {})) {
      const port = probe?.http?.port ?? probe?.tcp?.port ?? probe?.grpc?.port;
      if (port !== undefined && !ports.has(port)) {
        context.addIssue({
          code: 'custom',
          path: ['probes', kind],
          message: `the service has no port named "${port}"`,
        });
      }
    }
    if ((service.volumes?.length ?? 0) > 0 && (service.replicas ?? 1) > 1) {
      context.addIssue({
        code: 'custom',
        path: ['replicas'],
        message: 'a service with a volume runs as one pod: its volume can be mounted once',
      });
    }
  });
export type Service = z.infer<typeof serviceSchema>;

/** Reports what has the same key as an earlier item of its list. */
export function refuseTwice(
  record: Readonly<Record<string, unknown>>,
  context: Pick<z.core.$RefinementCtx, 'addIssue'>,
  keys: readonly (readonly [list: string, key: string])[],
): void {
  for (const [list, key] of keys) {
    const seen = new Set<unknown>();
    ((record[list] ?? []) as Record<string, unknown>[]).forEach((item, index) => {
      const value = item[key];
      if (seen.has(value))
        context.addIssue({ code: 'custom', path: [list, index, key], message: `"${value}" is there twice` });
      seen.add(value);
    });
  }
}
