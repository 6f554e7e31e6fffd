import { z } from 'zod';
import { type Condition, conditionSchema, findCondition, isTrue } from './conditions.ts';
import { jobSchema } from './job.ts';
import { nameSchema } from './names.ts';
import { type Service, secretKeySchema, serviceSchema } from './service.ts';
import { type Problem, workloadProblems } from './workloads.ts';

/**
 * The `UserDeployment` resource. It is self-contained: the operator needs nothing else to run it. What only the
 * database can grant (a plan's slot, a public host) the operator waits for: the server writes `Admitted` and
 * `HostsClaimed` with `status.grantedHosts`.
 */
export const GROUP = 'berth.dev';
export const VERSION = 'v1alpha1';
export const API_VERSION = `${GROUP}/${VERSION}`;
/** The operator's: gone once every child is gone. */
export const FINALIZER = 'berth.dev/cleanup';
/** The server's: gone once the row knows of the deletion, so that a delete by kubectl is never taken for a lost cluster. */
export const RECORD_FINALIZER = 'berth.dev/record';

/** Secrets delivery: the store of a namespace, and the Secret with the credential that reads it. */
export const SECRET_STORE_NAME = 'berth';
export const DELIVERY_SECRET_NAME = 'berth-delivery';
export const DELIVERY_SECRET_KEY = 'token';

/** Field managers: who wrote what, for `kubectl` and for revisions. */
export const SERVER_MANAGER = 'berth-server';
export const OPERATOR_MANAGER = 'berth-operator';

export const ANNOTATIONS = {
  /** The row's revision that this spec came from. */
  revision: 'berth.dev/revision',
  /** The row's id. */
  deploymentId: 'berth.dev/deployment-id',
  /** On an ExternalSecret and the Secret it makes: the `spec.secretVersion` whose values it carries. */
  secretVersion: 'berth.dev/secret-version',
  /** On the last good version and on Jobs: `status.update.specHash` of what they belong to. */
  specHash: 'berth.dev/spec-hash',
} as const;

export const LABELS = {
  deployment: 'berth.dev/deployment',
  service: 'berth.dev/service',
  team: 'berth.dev/team',
  managedBy: 'app.kubernetes.io/managed-by',
} as const;

const targetShape = {
  service: nameSchema.describe('The service that answers.'),
  port: z.string().max(63).describe("The port's name."),
};
export const pathSchema = z.strictObject({
  path: z
    .string()
    .max(200)
    .regex(/^\/[!-~]+$/, { error: 'write a path such as /api' })
    .describe('What begins with it goes to this service instead; the path is passed on as it came.'),
  ...targetShape,
});
export const pathsSchema = z
  .array(pathSchema)
  .max(20)
  .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['path'] });
export const exposureSchema = z.strictObject({
  host: z.string().min(1).max(253).describe('The full public host name, lower case.'),
  ...targetShape,
  paths: pathsSchema.optional().describe('Paths that other services answer.'),
});
export type Exposure = z.infer<typeof exposureSchema>;

/** Host names of one deployment: addresses and their aliases. */
export const MAX_EXPOSURES = 20;

export const userDeploymentSpecSchema = z
  .strictObject({
    displayName: z.string().max(100).optional().describe('Its name as people read it.'),
    template: z
      .strictObject({
        name: nameSchema.describe("The template's name."),
        version: z.string().max(64).describe("The template's version."),
      })
      .optional()
      .describe('What it was made from. Nothing depends on it.'),
    desired: z.enum(['running', 'stopped']).optional().describe('Whether it is to run; running when absent.'),
    paused: z.boolean().optional().describe('What runs keeps running as it is; changes wait until this is taken away.'),
    services: z
      .array(serviceSchema)
      .min(1)
      .max(20)
      .describe('What runs: each service is a container, in one pod or several.')
      .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] }),
    jobs: z
      .array(jobSchema)
      .max(20)
      .optional()
      .describe('What runs to its end: once before services start, or at set times.')
      .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] }),
    exposure: z
      .array(exposureSchema)
      .max(MAX_EXPOSURES)
      .optional()
      .describe('Public addresses. Each host is granted by the server first.')
      .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['host'] }),
    secretKeys: z
      .array(secretKeySchema)
      .max(200)
      .optional()
      .describe('Keys that must be in the secrets store before a service starts.'),
    secretVersion: z
      .string()
      .max(64)
      .optional()
      .describe("Changes when a secret's value does, so that pods are replaced."),
    restartedAt: z.string().max(64).optional().describe('Changing it replaces every pod.'),
  })
  .superRefine((spec, context) => {
    for (const { path, message } of workloadProblems(spec)) context.addIssue({ code: 'custom', path, message });
    (spec.exposure ?? []).forEach((exposure, index) => {
      for (const { path, message } of exposureProblems(exposure, spec.services)) {
        context.addIssue({ code: 'custom', path: ['exposure', index, ...path], message });
      }
    });
    const keys = new Set(spec.secretKeys ?? []);
    for (const { path, key } of secretUses(spec)) {
      if (!keys.has(key)) context.addIssue({ code: 'custom', path, message: `"${key}" is not in spec.secretKeys` });
    }
  });
export type UserDeploymentSpec = z.infer<typeof userDeploymentSpecSchema>;

/** What is wrong with an address, with paths from where it stands. */
export function exposureProblems(
  exposure: Pick<Exposure, 'service' | 'port' | 'paths'>,
  services: readonly Pick<Service, 'name' | 'ports'>[],
): Problem[] {
  const targets = [
    { at: [] as (string | number)[], ...exposure },
    ...(exposure.paths ?? []).map((each, index) => ({ at: ['paths', index], ...each })),
  ];
  return targets.flatMap(({ at, service, port }) => {
    const target = services.find((each) => each.name === service);
    if (!target) return [{ path: [...at, 'service'], message: `there is no service "${service}"` }];
    if (target.ports?.some((each) => each.name === port)) return [];
    return [{ path: [...at, 'port'], message: `service "${service}" has no port named "${port}"` }];
  });
}

/** Where services and jobs take a value from the secrets. */
export function secretUses(spec: Pick<UserDeploymentSpec, 'services' | 'jobs'>): {
  path: (string | number)[];
  key: string;
}[] {
  const { services, jobs = [] } = spec;
  return Object.entries({ services, jobs }).flatMap(([kind, workloads]) =>
    workloads.flatMap((workload, index) =>
      (['env', 'files'] as const).flatMap((list) =>
        (workload[list] ?? []).flatMap(({ secretKey }, at) =>
          secretKey === undefined ? [] : [{ path: [kind, index, list, at, 'secretKey'], key: secretKey }],
        ),
      ),
    ),
  );
}

/** Why a service is in its state; the words are for people. */
export const SERVICE_STATES = ['Waiting', 'Starting', 'Running', 'Failing', 'Stopped'] as const;
/** The reason of a service whose last pods are still ending. */
export const STOPPING = 'Stopping';
export const serviceStatusSchema = z.strictObject({
  name: nameSchema.describe('The name of the service.'),
  image: z.string().max(500).optional().describe('Of what runs, which after a stopped update is not what is wanted.'),
  state: z.enum(SERVICE_STATES).describe('How it does, in a word.'),
  reason: z.string().max(256).optional().describe('Why, in a word for programs.'),
  message: z.string().max(4096).optional().describe('Why, in a sentence.'),
  desired: z.int().describe('How many pods it is to have.'),
  ready: z.int().describe('How many of its pods take requests.'),
  updated: z.int().optional().describe('How many of the ready pods are of the wanted version, while not all are.'),
  restarts: z.int().describe('How often containers of its pods were started again.'),
});
export type ServiceStatus = z.infer<typeof serviceStatusSchema>;

/** `Scheduled` waits for its next time; a job without a schedule ends as Succeeded or Failed. */
export const JOB_STATES = ['Waiting', 'Running', 'Succeeded', 'Failed', 'Scheduled', 'Stopped'] as const;
export const jobStatusSchema = z.strictObject({
  name: nameSchema.describe('The name of the job.'),
  state: z.enum(JOB_STATES).describe('How it does, in a word.'),
  message: z.string().max(4096).optional().describe('Why, in a sentence.'),
  lastRunAt: z.iso.datetime().optional().describe('When it last began.'),
});
export type JobStatus = z.infer<typeof jobStatusSchema>;

/**
 * How far what is wanted is what runs. Always of `generation`; of the row's revision N when the resource carries the annotation
 * `berth.dev/revision: N` and `generation` is the resource's own.
 *
 *     (absent)      no version has been good yet: the first one starts, or fails to
 *     complete      the wanted version is good: all of it was ready at once. Nothing else is set
 *     progressing   new pods come beside the old; `servingRevision` is the version before, `replaces` what is down meanwhile.
 *                   It stays so while something is waited for (a secret, the deployment being stopped); `Updated` says what
 *     stopped       pods of the wanted version did not become ready, so the last good version (`servingRevision`) was brought back:
 *                   `service`, `reason`, `message` and mostly `lastLines` say why. `phase` is that of what serves
 *     paused        `spec.paused`: `servingRevision` runs; absent when nothing waits
 *
 * `stopped` stays until another version is wanted: a restart asks for the same one again.
 */
export const UPDATE_STATES = ['complete', 'progressing', 'stopped', 'paused'] as const;
export const updateStatusSchema = z.strictObject({
  state: z.enum(UPDATE_STATES).describe('How far what is wanted is what runs.'),
  generation: z.int().describe('The generation of the spec that this speaks of.'),
  specHash: z
    .string()
    .max(64)
    .optional()
    .describe('Of the wanted version: without its title, its addresses, and whether it is stopped or paused.'),
  servingRevision: z
    .string()
    .max(64)
    .optional()
    .describe('The revision annotation of the version that serves, when it is not the wanted one.'),
  since: z.iso.datetime().describe('When the state became this one.'),
  replaces: z
    .array(nameSchema)
    .max(20)
    .optional()
    .describe('Services with a volume that are down between their old pod and their new one.'),
  service: nameSchema.optional().describe('Which service or job stopped it.'),
  reason: z.string().max(256).optional().describe('Why it was stopped, in a word for programs.'),
  message: z.string().max(4096).optional().describe('Which probe of which service failed and how, in a sentence.'),
  lastLines: z.array(z.string().max(1000)).max(20).optional().describe('The last log lines of the pod that failed.'),
});
export type UpdateStatus = z.infer<typeof updateStatusSchema>;

export const PHASES = ['Pending', 'Starting', 'Running', 'Updating', 'Failing', 'Stopped', 'Deleting'] as const;
export type Phase = (typeof PHASES)[number];

export const userDeploymentStatusSchema = z.strictObject({
  phase: z.enum(PHASES).optional().describe('The summary of the conditions, for people. Programs read the conditions.'),
  url: z.string().max(2048).optional().describe('Where it is reached: its first address.'),
  observedGeneration: z.int().optional().describe('The generation of the spec that this status speaks of.'),
  services: z
    .array(serviceStatusSchema)
    .max(20)
    .optional()
    .describe('Each service.')
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] }),
  jobs: z
    .array(jobStatusSchema)
    .max(20)
    .optional()
    .describe('Each job.')
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] }),
  update: updateStatusSchema.optional().describe('The update to what is wanted. Absent until a version has been good.'),
  grantedHosts: z
    .array(z.string().max(253))
    .max(MAX_EXPOSURES)
    .optional()
    .describe('Hosts whose claim this deployment holds. Written by the server.')
    // Not a set: in a set an item that somebody else has put in stays theirs, and the server could not take it out.
    .meta({ 'x-kubernetes-list-type': 'atomic' }),
  conditions: z
    .array(conditionSchema)
    .max(20)
    .optional()
    .describe(
      'What holds and what does not: Admitted, HostsClaimed, Valid, SecretsDelivered, ServicesReady, Routed, Updated, Ready.',
    )
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] }),
});
export type UserDeploymentStatus = z.infer<typeof userDeploymentStatusSchema>;

/**
 * Condition types. `Admitted` and `HostsClaimed` are the server's; the rest are the operator's.
 * `Ready` sums up what is to serve: the wanted version, or the last good one while the update is stopped or paused.
 */
export const CONDITIONS = {
  admitted: 'Admitted',
  hostsClaimed: 'HostsClaimed',
  valid: 'Valid',
  secretsDelivered: 'SecretsDelivered',
  servicesReady: 'ServicesReady',
  routed: 'Routed',
  /** The wanted version is good. Absent before the first one that is; its reasons are `UPDATED_REASONS`. */
  updated: 'Updated',
  ready: 'Ready',
} as const;

/** Of the condition `Updated`, by `status.update.state`. */
export const UPDATED_REASONS = {
  complete: 'Complete',
  progressing: 'Progressing',
  stopped: 'UpdateStopped',
  paused: 'Paused',
} as const satisfies Record<UpdateStatus['state'], string>;

/**
 * The one-word summary for people and `kubectl get`, computed from the conditions and nothing else. Of an update that goes on
 * only what is down counts as failing: what serves keeps serving, and an update that cannot end well is stopped.
 */
export function phaseOf(input: {
  deleting: boolean;
  desired: 'running' | 'stopped';
  /** True once every service has been ready since the deployment was last started. */
  wasReady: boolean;
  conditions: readonly Condition[];
  services: readonly ServiceStatus[];
  jobs?: readonly JobStatus[];
}): Phase {
  const { deleting, desired, wasReady, conditions, services, jobs = [] } = input;
  if (deleting) return 'Deleting';
  const blocked = [CONDITIONS.valid, CONDITIONS.admitted, CONDITIONS.hostsClaimed].find(
    (type) => findCondition(conditions, type)?.status === 'False',
  );
  if (blocked) return 'Failing';
  if (desired === 'stopped') {
    // Pods that are still ending may still answer.
    const over = services.every(({ ready, reason }) => ready === 0 && reason !== STOPPING);
    return over ? 'Stopped' : 'Updating';
  }
  if (isTrue(conditions, CONDITIONS.ready)) return 'Running';
  const updates = findCondition(conditions, CONDITIONS.updated)?.reason === UPDATED_REASONS.progressing;
  if (services.some(({ state, ready }) => state === 'Failing' && !(updates && ready > 0))) return 'Failing';
  if (!updates && jobs.some(({ state }) => state === 'Failed')) return 'Failing';
  if (!isTrue(conditions, CONDITIONS.admitted)) return 'Pending';
  return wasReady ? 'Updating' : 'Starting';
}
