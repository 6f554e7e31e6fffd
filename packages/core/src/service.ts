import { z } from 'zod';
import {
  byteLength,
  environmentNameSchema,
  environmentValueSchema,
  MAX_ENVIRONMENT_TOTAL_BYTES,
} from './environment.ts';
import { nameSchema } from './names.ts';
import { bytesSchema, cpuSchema } from './quantity.ts';

/** One service of a deployment: a container, how it is reached and what it keeps. The same in templates and in the CR. */
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
};
export const probeSchema = z
  .strictObject({
    ...probeActionShape,
    initialDelaySeconds: z.int().min(0).max(3600).optional(),
    periodSeconds: z.int().min(1).max(300).optional(),
    timeoutSeconds: z.int().min(1).max(300).optional(),
    failureThreshold: z.int().min(1).max(1000).optional(),
  })
  .refine((probe) => [probe.http, probe.tcp, probe.exec].filter(Boolean).length === 1, {
    error: 'give exactly one of http, tcp and exec',
  })
  .meta({
    'x-kubernetes-validations': [
      {
        rule: '(has(self.http) ? 1 : 0) + (has(self.tcp) ? 1 : 0) + (has(self.exec) ? 1 : 0) == 1',
        message: 'give exactly one of http, tcp and exec',
      },
    ],
  });
export type Probe = z.infer<typeof probeSchema>;

const amountSchema = z.strictObject({ cpu: cpuSchema.optional(), memory: bytesSchema.optional() });

export const volumeSchema = z.strictObject({
  name: nameSchema,
  mountPath: absolutePathSchema,
  size: bytesSchema.describe('How much the volume may hold, for example 1Gi.'),
});
export type Volume = z.infer<typeof volumeSchema>;

export const serviceSchema = z
  .strictObject({
    name: nameSchema,
    image: z.string().min(1).max(500).regex(/^\S+$/, { error: 'is not an image reference such as registry/name:tag' }),
    command: z.array(z.string().max(32768)).max(256).optional().describe("Replaces the image's entry point."),
    args: z.array(z.string().max(32768)).max(256).optional(),
    env: z.array(environmentVariableSchema).max(1000).optional().meta(listMap('name')),
    files: z.array(fileSchema).max(100).optional().meta(listMap('path')),
    ports: z.array(portSchema).max(20).optional().meta(listMap('name')),
    probes: z
      .strictObject({
        startup: probeSchema.optional(),
        readiness: probeSchema.optional(),
        liveness: probeSchema.optional(),
      })
      .optional(),
    resources: z.strictObject({ requests: amountSchema.optional(), limits: amountSchema.optional() }).optional(),
    replicas: z.int().min(0).max(100).optional().describe('How many pods; 1 when absent.'),
    volumes: z.array(volumeSchema).max(10).optional().meta(listMap('name')),
    dependsOn: z.array(nameSchema).max(20).optional().describe('Services that must be ready before this one starts.'),
    stopGraceSeconds: z.int().min(0).max(3600).optional(),
  })
  .superRefine((service, context) => {
    for (const [list, key] of [
      ['env', 'name'],
      ['files', 'path'],
      ['ports', 'name'],
      // Kubernetes refuses two of these in one pod; nobody should learn it only after the form was accepted.
      ['ports', 'port'],
      ['volumes', 'name'],
      ['volumes', 'mountPath'],
    ] as const) {
      const seen = new Set<unknown>();
      (service[list] ?? []).forEach((item, index) => {
        const value = (item as Record<string, unknown>)[key];
        if (seen.has(value))
          context.addIssue({ code: 'custom', path: [list, index, key], message: `"${value}" is there twice` });
        seen.add(value);
      });
    }
    const ports = new Set((service.ports ?? []).map((port) => port.name));
    for (const [kind, probe] of Object.entries(service.probes ?? {})) {
      const port = probe?.http?.port ?? probe?.tcp?.port;
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

/** Rules across the services of one deployment. */
export function servicesProblems(services: readonly Service[]): { path: (string | number)[]; message: string }[] {
  const problems: { path: (string | number)[]; message: string }[] = [];
  const names = new Set(services.map((service) => service.name));
  const seen = new Set<string>();
  services.forEach((service, index) => {
    if (seen.has(service.name)) problems.push({ path: [index, 'name'], message: `"${service.name}" is there twice` });
    seen.add(service.name);
    (service.dependsOn ?? []).forEach((name, at) => {
      if (!names.has(name)) problems.push({ path: [index, 'dependsOn', at], message: `there is no service "${name}"` });
    });
  });
  const cycle = dependencyCycle(services);
  if (cycle) problems.push({ path: [], message: `services wait for each other: ${cycle.join(' -> ')}` });
  const bytes = services
    .flatMap((service) => service.env ?? [])
    .reduce((total, variable) => total + byteLength(variable.name) + byteLength(variable.value ?? '') + 2, 0);
  if (bytes > MAX_ENVIRONMENT_TOTAL_BYTES) {
    problems.push({
      path: [],
      message: `the environment is ${bytes} bytes in total; at most ${MAX_ENVIRONMENT_TOTAL_BYTES} fit; move large values to files or secrets`,
    });
  }
  return problems;
}

function dependencyCycle(services: readonly Service[]): string[] | undefined {
  const byName = new Map(services.map((service) => [service.name, service]));
  const done = new Set<string>();
  const visit = (name: string, path: string[]): string[] | undefined => {
    if (path.includes(name)) return [...path.slice(path.indexOf(name)), name];
    if (done.has(name)) return undefined;
    for (const next of byName.get(name)?.dependsOn ?? []) {
      const cycle = visit(next, [...path, name]);
      if (cycle) return cycle;
    }
    done.add(name);
    return undefined;
  };
  for (const { name } of services) {
    const cycle = visit(name, []);
    if (cycle) return cycle;
  }
  return undefined;
}
