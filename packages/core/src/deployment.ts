import { z } from 'zod';
import { conditionSchema } from './conditions.ts';
import { idSchema } from './ids.ts';
import { nameSchema } from './names.ts';
import { permissionSchema } from './permissions.ts';
import { MAX_REPLICAS } from './service.ts';
import { jobStatusSchema, PHASES, serviceStatusSchema, updateStatusSchema } from './user-deployment.ts';

/** A deployment as the API tells it: the row, and what was last observed of its resource. */
export const parameterValueSchema = z.union([z.string(), z.number(), z.boolean()], {
  error: 'must be a text, a number, true or false',
});
export const valuesInputSchema = z.record(z.string().max(40), parameterValueSchema);

export const deploymentServiceSchema = z.strictObject({
  ...serviceStatusSchema.shape,
  image: z.string(),
  volumes: z.array(z.strictObject({ name: z.string(), size: z.string() })),
  ports: z.array(z.strictObject({ name: z.string(), port: z.int() })),
  limits: z
    .strictObject({ cpu: z.number().optional(), memory: z.number().optional() })
    .describe('Cores and bytes of one pod; absent without a limit.'),
  requests: z
    .strictObject({ cpu: z.number(), memory: z.number() })
    .optional()
    .describe('Cores and bytes of the plan that one pod takes.'),
});

export const deploymentSchema = z
  .strictObject({
    id: idSchema,
    name: nameSchema,
    displayName: z.string().optional(),
    teamId: idSchema,
    template: z.strictObject({ name: z.string(), version: z.string() }).optional(),
    phase: z.enum(PHASES),
    /** One sentence: what is wrong or what is happening. */
    message: z.string().optional(),
    desired: z.enum(['running', 'stopped', 'deleted']),
    revision: z.int().describe('Grows with every change; send it as If-Match to change only what you saw.'),
    paused: z.boolean().describe('What runs keeps running; changes wait until it is resumed.'),
    update: updateStatusSchema.optional().describe('How far the wanted version is what runs.'),
    host: z.string().optional(),
    url: z.string().optional(),
    addresses: z
      .array(z.strictObject({ host: z.string(), url: z.string(), service: z.string() }))
      .describe('Every public address: the first is the main one.'),
    aliases: z.array(z.string()).describe('Hosts that were added to the main one.'),
    values: z.record(z.string(), parameterValueSchema).describe('Without secrets.'),
    secrets: z
      .array(z.strictObject({ key: z.string(), set: z.boolean() }))
      .describe('Names only: values never come back.'),
    services: z.array(deploymentServiceSchema),
    jobs: z.array(z.strictObject({ ...jobStatusSchema.shape, schedule: z.string().optional() })),
    conditions: z.array(conditionSchema),
    createdBy: z.string().describe('Who made it, for people.'),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
    /** What you may do with it. */
    permissions: z.array(permissionSchema),
  })
  .meta({ id: 'Deployment' });
export type Deployment = z.infer<typeof deploymentSchema>;

/** How people see it. One line: it stands in tables and terminals. */
const titleSchema = z
  .string()
  .trim()
  .max(100)
  .regex(/^[^\p{Cc}]*$/u, { error: 'must not contain control characters' });

/** A name, or a whole host where the platform allows one. */
const aliasesSchema = z.array(z.string().min(1).max(253)).max(5).describe('More public hosts; all of them.');

export const createDeploymentSchema = z
  .strictObject({
    team: idSchema.optional().describe('Your personal team when absent.'),
    name: nameSchema,
    displayName: titleSchema.optional(),
    template: nameSchema,
    version: z.string().max(64).optional().describe('The newest when absent.'),
    values: valuesInputSchema.optional(),
    host: z.string().max(253).optional().describe('The public address; the name when absent.'),
    aliases: aliasesSchema.optional(),
  })
  .meta({ id: 'CreateDeployment' });
export type CreateDeployment = z.infer<typeof createDeploymentSchema>;

export const updateDeploymentSchema = z
  .strictObject({
    displayName: titleSchema.optional(),
    version: z.string().max(64).optional(),
    values: valuesInputSchema.optional().describe('All values; a secret that is left out keeps its value.'),
    host: z.string().max(253).optional(),
    aliases: aliasesSchema.optional(),
  })
  .meta({ id: 'UpdateDeployment' });
export type UpdateDeployment = z.infer<typeof updateDeploymentSchema>;

export const scaleSchema = z
  .strictObject({ service: nameSchema, replicas: z.int().min(0).max(MAX_REPLICAS) })
  .meta({ id: 'ScaleService' });

export const cloneSchema = z
  .strictObject({
    name: nameSchema,
    displayName: titleSchema.optional(),
    host: z.string().max(253).optional().describe('The public address; the name when absent.'),
  })
  .meta({ id: 'CloneDeployment' });

/** What a create would make, before it is made. */
export const previewSchema = z
  .strictObject({
    host: z.string().optional(),
    url: z.string().optional(),
    services: z.array(
      z.strictObject({
        name: z.string(),
        image: z.string(),
        replicas: z.int(),
        volumes: z.array(z.strictObject({ name: z.string(), size: z.string() })),
      }),
    ),
    jobs: z.array(z.strictObject({ name: z.string(), image: z.string(), schedule: z.string().optional() })),
    uses: z
      .strictObject({ cpu: z.number(), memory: z.number(), storage: z.number() })
      .describe('Requested cores, bytes, bytes.'),
    warnings: z.array(z.string()),
    plan: z.strictObject({ deployments: z.strictObject({ used: z.int(), allowed: z.int().optional() }) }),
  })
  .meta({ id: 'DeploymentPreview' });
export type DeploymentPreview = z.infer<typeof previewSchema>;

/** What a delete takes with it. */
export const removalSchema = z
  .strictObject({
    items: z.array(
      z.strictObject({
        kind: z.enum(['service', 'volume', 'secret', 'address', 'history']),
        name: z.string(),
        detail: z.string().describe('What is lost, in words.'),
      }),
    ),
  })
  .meta({ id: 'DeploymentRemoval' });
export type DeploymentRemoval = z.infer<typeof removalSchema>;

/** `failed`: its update was stopped. `replaced`: a later one came before it was known. */
export const REVISION_OUTCOMES = ['pending', 'running', 'failed', 'replaced'] as const;
export const revisionSchema = z
  .strictObject({
    revision: z.int(),
    /** In words: "version 1.1.0, title changed". */
    summary: z.string(),
    by: z.string().describe("A person's e-mail or a field manager."),
    createdAt: z.iso.datetime(),
    template: z.strictObject({ name: z.string(), version: z.string() }).optional(),
    outcome: z.enum(REVISION_OUTCOMES).describe('What became of it; `running` stays when a later one replaced it.'),
    message: z.string().optional().describe('Why it failed.'),
    current: z.boolean().describe('What is wanted now.'),
    serving: z.boolean().describe('What runs now.'),
  })
  .meta({ id: 'Revision' });
export type Revision = z.infer<typeof revisionSchema>;

/** One difference between two revisions, in the words of people. Values of secrets are never part of it. */
export const revisionChangeSchema = z.strictObject({
  subject: z.string().describe('What it belongs to: "Deployment", "Values", "web", "Job migrate".'),
  field: z.string().describe('Such as "image" or "environment TITLE".'),
  before: z.string().optional().describe('Absent when it was added.'),
  after: z.string().optional().describe('Absent when it was removed.'),
});
export type RevisionChange = z.infer<typeof revisionChangeSchema>;

/** What a change would do, before it is made. */
export const updatePreviewSchema = z
  .strictObject({
    changes: z.array(revisionChangeSchema),
    rolls: z.array(z.string()).describe('Services whose pods are replaced one after the other, without a gap.'),
    replaces: z.array(z.string()).describe('Services with a volume: they are down for some seconds.'),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'UpdatePreview' });
export type UpdatePreview = z.infer<typeof updatePreviewSchema>;

export const revisionDetailSchema = z
  .strictObject({
    ...revisionSchema.shape,
    against: z.int().optional().describe('The revision it is compared with; absent for the first.'),
    changes: z.array(revisionChangeSchema),
    values: z.record(z.string(), parameterValueSchema),
    host: z.string().optional(),
  })
  .meta({ id: 'RevisionDetail' });
export type RevisionDetail = z.infer<typeof revisionDetailSchema>;

export const ACTIVITY_KINDS = [
  'created',
  'changed',
  'started',
  'stopped',
  'restarted',
  'scaled',
  'paused',
  'resumed',
  'rolled_back',
  'update_stopped',
  'job',
  'deleted',
  'running',
  'failing',
  'event',
] as const;
export const activitySchema = z
  .strictObject({
    /** Grows; where an event stream goes on. */
    id: z.int(),
    teamId: idSchema,
    deployment: z.string().optional(),
    service: z.string().optional(),
    kind: z.enum(ACTIVITY_KINDS),
    level: z.enum(['info', 'ok', 'warning', 'failure']),
    message: z.string(),
    by: z.string().optional(),
    at: z.iso.datetime(),
  })
  .meta({ id: 'Activity' });
export type Activity = z.infer<typeof activitySchema>;

export const usageSchema = z
  .strictObject({
    plan: z.string(),
    deployments: z.strictObject({ used: z.int(), allowed: z.int().optional() }),
    cpu: z.strictObject({ used: z.number(), allowed: z.number().optional() }).describe('Requested cores.'),
    memory: z.strictObject({ used: z.number(), allowed: z.number().optional() }).describe('Requested bytes.'),
    storage: z.strictObject({ used: z.number(), allowed: z.number().optional() }).describe('Bytes of volumes.'),
  })
  .meta({ id: 'Usage' });
export type Usage = z.infer<typeof usageSchema>;
