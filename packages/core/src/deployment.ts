import { z } from 'zod';
import { conditionSchema } from './conditions.ts';
import { idSchema } from './ids.ts';
import { nameSchema } from './names.ts';
import { permissionSchema } from './permissions.ts';
import { PHASES, serviceStatusSchema } from './user-deployment.ts';

/** A deployment as the API tells it: the row, and what was last observed of its resource. */
export const parameterValueSchema = z.union([z.string(), z.number(), z.boolean()], {
  error: 'must be a text, a number, true or false',
});
export const valuesInputSchema = z.record(z.string().max(40), parameterValueSchema);

export const deploymentServiceSchema = z.strictObject({
  ...serviceStatusSchema.shape,
  image: z.string(),
  volumes: z.array(z.strictObject({ name: z.string(), size: z.string() })),
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
    host: z.string().optional(),
    url: z.string().optional(),
    values: z.record(z.string(), parameterValueSchema).describe('Without secrets.'),
    secrets: z
      .array(z.strictObject({ key: z.string(), set: z.boolean() }))
      .describe('Names only: values never come back.'),
    services: z.array(deploymentServiceSchema),
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

export const createDeploymentSchema = z
  .strictObject({
    team: idSchema.optional().describe('Your personal team when absent.'),
    name: nameSchema,
    displayName: titleSchema.optional(),
    template: nameSchema,
    version: z.string().max(64).optional().describe('The newest when absent.'),
    values: valuesInputSchema.optional(),
    host: z.string().max(253).optional().describe('The public address; the name when absent.'),
  })
  .meta({ id: 'CreateDeployment' });
export type CreateDeployment = z.infer<typeof createDeploymentSchema>;

export const updateDeploymentSchema = z
  .strictObject({
    displayName: titleSchema.optional(),
    version: z.string().max(64).optional(),
    values: valuesInputSchema.optional().describe('All values; a secret that is left out keeps its value.'),
    host: z.string().max(253).optional(),
  })
  .meta({ id: 'UpdateDeployment' });
export type UpdateDeployment = z.infer<typeof updateDeploymentSchema>;

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

export const revisionSchema = z
  .strictObject({
    revision: z.int(),
    /** In words: "version 1.1.0, title changed". */
    summary: z.string(),
    by: z.string().describe("A person's e-mail or a field manager."),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Revision' });
export type Revision = z.infer<typeof revisionSchema>;

export const ACTIVITY_KINDS = [
  'created',
  'changed',
  'started',
  'stopped',
  'restarted',
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
