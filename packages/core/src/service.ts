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
    name: environmentNameSchema.describe('The name that the process sees.'),
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
    path: absolutePathSchema.describe('Where the container finds it.'),
    content: z
      .string()
      .max(512 * 1024)
      .optional()
      .describe('What is in it, byte for byte.'),
    secretKey: secretKeySchema.optional().describe("Takes the content from this key of the deployment's secrets."),
  })
  .refine((file) => givesOne(file.content, file.secretKey), { error: 'give either content or secretKey' })
  .meta(exactlyOne('content', 'secretKey'));

export const portSchema = z.strictObject({
  name: nameSchema
    .max(15, { error: "a port's name has at most 15 characters" })
    .describe('By which probes and addresses mean this port.'),
  port: z.int().min(1).max(65535).describe('The number that the process listens on.'),
});

const probeActionShape = {
  http: z
    .strictObject({
      path: z.string().max(2048).regex(/^\//).describe('The path that is asked for.'),
      port: z.string().max(63).describe("A port's name."),
    })
    .optional()
    .describe('A GET that must be answered with 200 to 399.'),
  tcp: z
    .strictObject({ port: z.string().max(63).describe("A port's name.") })
    .optional()
    .describe('A connection that must be accepted.'),
  exec: z
    .strictObject({
      command: z
        .array(z.string().max(4096))
        .min(1)
        .max(64)
        .describe('The program and its arguments; no shell reads them.'),
    })
    .optional()
    .describe('A program in the container that must end with 0.'),
  grpc: z
    .strictObject({
      port: z.string().max(63).describe("A port's name."),
      service: z
        .string()
        .max(253)
        .optional()
        .describe('Sent with the health check of gRPC; the whole server when absent.'),
    })
    .optional()
    .describe('The health check of gRPC, which must answer SERVING.'),
};
const PROBE_ACTIONS = ['http', 'tcp', 'exec', 'grpc'] as const;
const ONE_PROBE_ACTION = 'give exactly one of http, tcp, exec and grpc';
export const probeSchema = z
  .strictObject({
    ...probeActionShape,
    initialDelaySeconds: z
      .int()
      .min(0)
      .max(3600)
      .optional()
      .describe('The first look comes so long after the start; 0 when absent.'),
    periodSeconds: z.int().min(1).max(300).optional().describe('The time between two looks; 10 when absent.'),
    timeoutSeconds: z.int().min(1).max(300).optional().describe('How long one look may take; 1 when absent.'),
    failureThreshold: z.int().min(1).max(1000).optional().describe('So many failures in a row count; 3 when absent.'),
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

const amountSchema = z.strictObject({
  cpu: cpuSchema.optional().describe('In cores, such as 500m or 2.'),
  memory: bytesSchema.optional().describe('In bytes, such as 128Mi.'),
});
const resourcesSchema = z.strictObject({
  requests: amountSchema.optional().describe('What a pod is sure to have. It counts against the plan.'),
  limits: amountSchema
    .optional()
    .describe('The most that a pod may take: of CPU it gets no more, with more memory it is ended.'),
});

/** What a service and a job have in common: a container. */
export const containerShape = {
  name: nameSchema.describe('Its name, unique among the services and jobs of the deployment.'),
  image: z
    .string()
    .min(1)
    .max(500)
    .regex(/^\S+$/, { error: 'is not an image reference such as registry/name:tag' })
    .describe('The image that its container runs, such as registry.example.com/name:tag.'),
  command: z.array(z.string().max(32768)).max(256).optional().describe("Replaces the image's entry point."),
  args: z.array(z.string().max(32768)).max(256).optional().describe('Replaces the arguments that the image brings.'),
  env: z
    .array(environmentVariableSchema)
    .max(1000)
    .optional()
    .describe('Environment variables. Nothing else is set but what the image brings.')
    .meta(listMap('name')),
  files: z.array(fileSchema).max(100).optional().describe('Files in the container, read-only.').meta(listMap('path')),
  resources: resourcesSchema.optional().describe('What its container asks for and may take.'),
};

export const volumeSchema = z
  .strictObject({
    name: nameSchema.describe('Its name. What it holds stays with the name.'),
    mountPath: absolutePathSchema.describe('Where the container finds it.'),
    size: bytesSchema.max(32).describe('How much the volume may hold, for example 1Gi. A volume only grows.'),
  })
  .meta({
    'x-kubernetes-validations': [
      { rule: 'quantity(self.size).compareTo(quantity(oldSelf.size)) >= 0', message: 'a volume only grows' },
    ],
  });
export type Volume = z.infer<typeof volumeSchema>;

export const serviceSchema = z
  .strictObject({
    ...containerShape,
    ports: z
      .array(portSchema)
      .max(20)
      .optional()
      .describe('Where it listens. Only these ports can be reached.')
      .meta(listMap('name')),
    probes: z
      .strictObject({
        startup: probeSchema.optional().describe('Until it succeeds the others wait.'),
        readiness: probeSchema.optional().describe('While it fails the pod gets no requests.'),
        liveness: probeSchema.optional().describe('When it fails the container is started again.'),
      })
      .optional()
      .describe('How it is told whether a pod works.'),
    replicas: z.int().min(0).max(MAX_REPLICAS).optional().describe('How many pods; 1 when absent.'),
    volumes: z
      .array(volumeSchema)
      .max(10)
      .optional()
      .describe('What it keeps. A service with a volume runs as one pod.')
      .meta(listMap('name')),
    dependsOn: z
      .array(nameSchema)
      .max(20)
      .optional()
      .describe('Services that must be ready, and jobs that must have succeeded, before this one starts.'),
    metrics: z
      .strictObject({
        port: z.string().max(63).describe("A port's name."),
        path: z.string().max(2048).regex(/^\//).optional().describe('Where they are; /metrics when absent.'),
      })
      .optional()
      .describe(
        "Where the service tells its figures to Prometheus: its pods say so, and the cluster's monitoring is let in.",
      ),
    readyWithinSeconds: z
      .int()
      .min(5)
      .max(3600)
      .optional()
      .describe(
        'How long a pod of a new version may take to become ready before the update is stopped; 300 when absent.',
      ),
    stopGraceSeconds: z
      .int()
      .min(0)
      .max(3600)
      .optional()
      .describe('How long a pod has to end by itself when it is told to; 30 when absent.'),
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
    const { metrics } = service;
    if (metrics && !ports.has(metrics.port)) {
      const message = `the service has no port named "${metrics.port}"`;
      context.addIssue({ code: 'custom', path: ['metrics', 'port'], message });
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
