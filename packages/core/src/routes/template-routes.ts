import { z } from 'zod';
import { idSchema } from '../ids.ts';
import { nameSchema } from '../names.ts';
import { parameterSchema } from '../parameter.ts';
import { inTeam, list, type Route } from '../route.ts';
import { TEMPLATE_CATEGORIES } from '../template-category.ts';

const ofTeam = {
  team: idSchema.optional().describe('With what this team wrote; only what ships with Berth when absent.'),
};
const byName = z.strictObject({ name: nameSchema });

/** As large as a resource of Kubernetes may be. */
const sourceSchema = z
  .string()
  .max(1024 * 1024)
  .describe('The YAML text of a template, comments and all.');

export const templateSummarySchema = z
  .strictObject({
    name: nameSchema,
    version: z.string(),
    displayName: z.string(),
    description: z.string(),
    category: z.enum(TEMPLATE_CATEGORIES),
    icon: z.string().optional(),
    services: z.int(),
    startSeconds: z.int().optional(),
    owner: z.enum(['berth', 'team']).describe('Ships with Berth, or written by the team.'),
  })
  .meta({ id: 'TemplateSummary' });
export type TemplateSummary = z.infer<typeof templateSummarySchema>;

export const templateDetailSchema = z
  .strictObject({
    ...templateSummarySchema.shape,
    versions: z.array(z.string()).describe('Newest first.'),
    readme: z.string().optional(),
    parameters: z.array(parameterSchema),
    exposed: z.boolean(),
  })
  .meta({ id: 'TemplateDetail' });
export type TemplateDetail = z.infer<typeof templateDetailSchema>;

export const templateSourceSchema = z
  .strictObject({ name: nameSchema, version: z.string(), owner: z.enum(['berth', 'team']), source: sourceSchema })
  .meta({ id: 'TemplateSource' });
export type TemplateSource = z.infer<typeof templateSourceSchema>;

export const TEMPLATE_ROUTES = {
  listTemplates: {
    method: 'GET',
    path: '/api/templates',
    summary: 'The catalogue',
    permission: 'template:read',
    scope: 'self',
    query: z.strictObject(ofTeam),
    output: list(templateSummarySchema),
  },
  getTemplate: {
    method: 'GET',
    path: '/api/templates/:name',
    summary: 'One template with its parameters',
    permission: 'template:read',
    scope: 'self',
    params: z.strictObject({ name: nameSchema }),
    query: z.strictObject({ ...ofTeam, version: z.string().max(64).optional() }),
    output: templateDetailSchema,
  },
  getTemplateSource: {
    method: 'GET',
    path: '/api/templates/:name/source',
    summary: 'A template as it was written',
    permission: 'template:read',
    scope: 'self',
    params: byName,
    query: z.strictObject({ ...ofTeam, version: z.string().max(64).optional() }),
    output: templateSourceSchema,
  },
  saveTemplate: {
    method: 'POST',
    path: '/api/templates',
    summary: "Save a template of the team's own, or a new version of it; a version never changes once it is there",
    permission: 'template:write',
    scope: 'team',
    status: 201,
    body: z.strictObject({ ...inTeam, source: sourceSchema }),
    output: templateDetailSchema,
  },
  deleteTemplate: {
    method: 'DELETE',
    path: '/api/templates/:name',
    summary: 'Take a template of the team out of its catalogue; what was deployed from it stays',
    permission: 'template:write',
    scope: 'team',
    params: byName,
    query: z.strictObject(inTeam),
    status: 204,
  },
} as const satisfies Record<string, Route>;
