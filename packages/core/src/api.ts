import { z } from 'zod';
import { auditRecordSchema } from './audit.ts';
import {
  activitySchema,
  createDeploymentSchema,
  deploymentSchema,
  previewSchema,
  removalSchema,
  revisionSchema,
  updateDeploymentSchema,
  usageSchema,
} from './deployment.ts';
import { idSchema } from './ids.ts';
import { nameSchema } from './names.ts';
import { parameterSchema } from './parameter.ts';
import { type Permission, teamRoleSchema } from './permissions.ts';
import { planNameSchema } from './plans.ts';
import { TEMPLATE_CATEGORIES } from './template-category.ts';
import {
  displayNameSchema,
  emailSchema,
  memberSchema,
  meSchema,
  organizationSchema,
  passwordSchema,
  teamSchema,
  tokenSchema,
} from './tenant.ts';
import { PHASES } from './user-deployment.ts';

/**
 * The REST contract: the server mounts it, OpenAPI is made from it, the SPA and the CLI call through it. A route without a
 * permission does not compile; `public` is written out where nobody needs to be signed in.
 */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** As in `/api/deployments/:id`. */
  path: string;
  summary: string;
  /** What the actor must hold; where (which team or organization) is decided by `scope`. */
  permission: Permission | 'public';
  /**
   * What the permission is checked against: the actor alone, the organization in the path, the team in the path or query
   * (`:teamId`, `?team=`), or the team that owns the object in the path. An administrator of the platform needs no role in an
   * organization for what takes `platform:admin`.
   */
  scope: 'none' | 'self' | 'organization' | 'team' | 'deployment';
  params?: z.ZodType;
  query?: z.ZodType;
  body?: z.ZodType;
  /** The answer's body; absent for 204, 'stream' for Server-Sent Events. */
  output?: z.ZodType | 'stream';
  /** Whether a success leaves an audit record: when absent, a change does and a read does not. A denial always does. */
  audit?: 'always' | 'never';
  /** Status on success; 200 when absent. */
  status?: 200 | 201 | 202 | 204;
}

const list = <T extends z.ZodType>(item: T) =>
  z.strictObject({ items: z.array(item), next: z.string().optional().describe('Send as `cursor` for the next page.') });
const byId = z.strictObject({ id: idSchema });
const byTeam = z.strictObject({ teamId: idSchema });
const byOrganization = z.strictObject({ organizationId: idSchema });
const page = { limit: z.coerce.number().int().min(1).max(500).optional(), cursor: z.string().max(200).optional() };
const inTeam = { team: idSchema.optional().describe('Your personal team when absent.') };

export const configSchema = z
  .strictObject({
    version: z.string(),
    domain: z.string().describe('Apps answer at NAME.domain.'),
    appUrl: z.string().describe("An app's address with {name} in it."),
    signIn: z.strictObject({ dev: z.boolean(), password: z.boolean() }),
  })
  .meta({ id: 'Config' });

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
  })
  .meta({ id: 'TemplateSummary' });
export type TemplateSummary = z.infer<typeof templateSummarySchema>;

export const templateDetailSchema = z
  .strictObject({
    ...templateSummarySchema.shape,
    versions: z.array(z.string()),
    readme: z.string().optional(),
    parameters: z.array(parameterSchema),
    exposed: z.boolean(),
  })
  .meta({ id: 'TemplateDetail' });
export type TemplateDetail = z.infer<typeof templateDetailSchema>;

export const ROUTES = {
  getConfig: {
    method: 'GET',
    path: '/api/config',
    summary: 'What a visitor may know',
    permission: 'public',
    scope: 'none',
    output: configSchema,
  },
  signIn: {
    method: 'POST',
    path: '/api/login',
    summary: 'Sign in with e-mail and password',
    permission: 'public',
    scope: 'none',
    body: z.strictObject({ email: emailSchema, password: z.string().max(256) }),
    output: meSchema,
  },
  signInForDevelopment: {
    method: 'POST',
    path: '/api/login/dev',
    summary: 'Sign in as dev@localhost (loopback only)',
    permission: 'public',
    scope: 'none',
    output: meSchema,
  },
  signOut: {
    method: 'POST',
    path: '/api/logout',
    summary: 'Sign out',
    permission: 'self:read',
    scope: 'self',
    status: 204,
  },
  getMe: {
    method: 'GET',
    path: '/api/me',
    summary: 'Who you are, your organizations and teams',
    permission: 'self:read',
    scope: 'self',
    output: meSchema,
  },
  changePassword: {
    method: 'POST',
    path: '/api/me/password',
    summary: 'Change your password; other logins end',
    permission: 'self:read',
    scope: 'self',
    body: z.strictObject({ current: z.string().max(256), next: passwordSchema }),
    status: 204,
  },

  listTokens: {
    method: 'GET',
    path: '/api/tokens',
    summary: 'Your API tokens',
    permission: 'token:manage',
    scope: 'self',
    output: list(tokenSchema),
  },
  createToken: {
    method: 'POST',
    path: '/api/tokens',
    summary: 'Make an API token; it is shown once',
    permission: 'token:manage',
    scope: 'self',
    status: 201,
    body: z.strictObject({ name: displayNameSchema, expiresInDays: z.int().min(1).max(3650).optional() }),
    output: z.strictObject({ ...tokenSchema.shape, token: z.string() }),
  },
  deleteToken: {
    method: 'DELETE',
    path: '/api/tokens/:id',
    summary: 'Revoke an API token',
    permission: 'token:manage',
    scope: 'self',
    params: byId,
    status: 204,
  },

  listOrganizations: {
    method: 'GET',
    path: '/api/organizations',
    summary: 'Your organizations',
    permission: 'self:read',
    scope: 'self',
    output: list(organizationSchema),
  },
  createOrganization: {
    method: 'POST',
    path: '/api/organizations',
    summary: 'Make an organization with a first team',
    permission: 'self:read',
    scope: 'self',
    status: 201,
    body: z.strictObject({ name: displayNameSchema }),
    output: organizationSchema,
  },
  getOrganization: {
    method: 'GET',
    path: '/api/organizations/:organizationId',
    summary: 'One organization',
    permission: 'organization:read',
    scope: 'organization',
    params: byOrganization,
    output: organizationSchema,
  },
  updateOrganization: {
    method: 'PATCH',
    path: '/api/organizations/:organizationId',
    summary: 'Rename an organization',
    permission: 'organization:update',
    scope: 'organization',
    params: byOrganization,
    body: z.strictObject({ name: displayNameSchema }),
    output: organizationSchema,
  },
  updatePlan: {
    method: 'PATCH',
    path: '/api/organizations/:organizationId/plan',
    summary: 'Give an organization another plan; what is there stays',
    permission: 'platform:admin',
    scope: 'organization',
    params: byOrganization,
    body: z.strictObject({ plan: planNameSchema }),
    output: organizationSchema,
  },
  createTeam: {
    method: 'POST',
    path: '/api/organizations/:organizationId/teams',
    summary: 'Make a team',
    permission: 'team:create',
    scope: 'organization',
    params: byOrganization,
    status: 201,
    body: z.strictObject({ name: displayNameSchema }),
    output: teamSchema,
  },
  listTeams: {
    method: 'GET',
    path: '/api/teams',
    summary: 'Your teams',
    permission: 'self:read',
    scope: 'self',
    output: list(teamSchema),
  },
  getTeam: {
    method: 'GET',
    path: '/api/teams/:teamId',
    summary: 'One team',
    permission: 'team:read',
    scope: 'team',
    params: byTeam,
    output: teamSchema,
  },
  getUsage: {
    method: 'GET',
    path: '/api/teams/:teamId/usage',
    summary: 'What the team uses of its plan',
    permission: 'team:read',
    scope: 'team',
    params: byTeam,
    output: usageSchema,
  },
  listMembers: {
    method: 'GET',
    path: '/api/teams/:teamId/members',
    summary: 'Members of a team',
    permission: 'team:read',
    scope: 'team',
    params: byTeam,
    output: list(memberSchema),
  },
  addMember: {
    method: 'POST',
    path: '/api/teams/:teamId/members',
    summary: 'Add a person who has an account',
    permission: 'team:members',
    scope: 'team',
    params: byTeam,
    status: 201,
    body: z.strictObject({ email: emailSchema, role: teamRoleSchema }),
    output: memberSchema,
  },
  updateMember: {
    method: 'PATCH',
    path: '/api/teams/:teamId/members/:userId',
    summary: "Change a member's role",
    permission: 'team:members',
    scope: 'team',
    params: z.strictObject({ teamId: idSchema, userId: idSchema }),
    body: z.strictObject({ role: teamRoleSchema }),
    output: memberSchema,
  },
  removeMember: {
    method: 'DELETE',
    path: '/api/teams/:teamId/members/:userId',
    summary: 'Remove a member',
    permission: 'team:members',
    scope: 'team',
    params: z.strictObject({ teamId: idSchema, userId: idSchema }),
    status: 204,
  },

  listTemplates: {
    method: 'GET',
    path: '/api/templates',
    summary: 'The catalogue',
    permission: 'template:read',
    scope: 'self',
    output: list(templateSummarySchema),
  },
  getTemplate: {
    method: 'GET',
    path: '/api/templates/:name',
    summary: 'One template with its parameters',
    permission: 'template:read',
    scope: 'self',
    params: z.strictObject({ name: nameSchema }),
    query: z.strictObject({ version: z.string().max(64).optional() }),
    output: templateDetailSchema,
  },

  listDeployments: {
    method: 'GET',
    path: '/api/deployments',
    summary: 'Deployments of a team',
    permission: 'deployment:read',
    scope: 'team',
    query: z.strictObject({
      ...inTeam,
      ...page,
      name: nameSchema.optional(),
      q: z.string().max(100).optional().describe('Part of a name or address.'),
      phase: z.enum(PHASES).optional(),
    }),
    output: list(deploymentSchema),
  },
  createDeployment: {
    method: 'POST',
    path: '/api/deployments',
    summary: 'Deploy a template',
    permission: 'deployment:create',
    scope: 'team',
    status: 201,
    body: createDeploymentSchema,
    output: deploymentSchema,
  },
  previewDeployment: {
    method: 'POST',
    path: '/api/deployments/preview',
    summary: 'What a deploy would make; nothing is made',
    audit: 'never',
    permission: 'deployment:create',
    scope: 'team',
    body: createDeploymentSchema,
    output: previewSchema,
  },
  getDeployment: {
    method: 'GET',
    path: '/api/deployments/:id',
    summary: 'One deployment',
    permission: 'deployment:read',
    scope: 'deployment',
    params: byId,
    output: deploymentSchema,
  },
  updateDeployment: {
    method: 'PATCH',
    path: '/api/deployments/:id',
    summary: 'Change values, version, address or display name',
    permission: 'deployment:update',
    scope: 'deployment',
    params: byId,
    body: updateDeploymentSchema,
    output: deploymentSchema,
  },
  stopDeployment: {
    method: 'POST',
    path: '/api/deployments/:id/stop',
    summary: 'Stop: no pods, everything else stays',
    permission: 'deployment:update',
    scope: 'deployment',
    params: byId,
    output: deploymentSchema,
  },
  startDeployment: {
    method: 'POST',
    path: '/api/deployments/:id/start',
    summary: 'Start what was stopped',
    permission: 'deployment:update',
    scope: 'deployment',
    params: byId,
    output: deploymentSchema,
  },
  restartDeployment: {
    method: 'POST',
    path: '/api/deployments/:id/restart',
    summary: 'Replace every pod',
    permission: 'deployment:update',
    scope: 'deployment',
    params: byId,
    output: deploymentSchema,
  },
  getRemoval: {
    method: 'GET',
    path: '/api/deployments/:id/removal',
    summary: 'What a delete would take with it',
    permission: 'deployment:delete',
    scope: 'deployment',
    params: byId,
    output: removalSchema,
  },
  deleteDeployment: {
    method: 'DELETE',
    path: '/api/deployments/:id',
    summary: 'Delete with volumes, secrets and address',
    permission: 'deployment:delete',
    scope: 'deployment',
    params: byId,
    status: 202,
    output: deploymentSchema,
  },
  listRevisions: {
    method: 'GET',
    path: '/api/deployments/:id/revisions',
    summary: 'Who changed what, newest first',
    permission: 'deployment:read',
    scope: 'deployment',
    params: byId,
    output: list(revisionSchema),
  },
  listDeploymentActivity: {
    method: 'GET',
    path: '/api/deployments/:id/activity',
    summary: 'What happened to it, newest first',
    permission: 'deployment:read',
    scope: 'deployment',
    params: byId,
    query: z.strictObject(page),
    output: list(activitySchema),
  },
  streamLogs: {
    method: 'GET',
    path: '/api/deployments/:id/logs',
    summary: 'Log lines of a service, followed',
    audit: 'always',
    permission: 'deployment:logs',
    scope: 'deployment',
    params: byId,
    query: z.strictObject({
      service: nameSchema,
      tail: z.coerce.number().int().min(0).max(5000).optional(),
      follow: z.enum(['true', 'false']).optional(),
    }),
    output: 'stream',
  },

  listActivity: {
    method: 'GET',
    path: '/api/activity',
    summary: 'What happened in a team, newest first',
    permission: 'deployment:read',
    scope: 'team',
    query: z.strictObject({ ...inTeam, ...page }),
    output: list(activitySchema),
  },
  streamEvents: {
    method: 'GET',
    path: '/api/events',
    summary: 'Everything live in a team',
    permission: 'deployment:read',
    scope: 'team',
    query: z.strictObject(inTeam),
    output: 'stream',
  },
  listAudit: {
    method: 'GET',
    path: '/api/audit',
    summary: 'The audit log of a team, newest first',
    audit: 'always',
    permission: 'audit:read',
    scope: 'team',
    query: z.strictObject({ ...inTeam, ...page }),
    output: list(auditRecordSchema),
  },
} as const satisfies Record<string, Route>;

export type RouteName = keyof typeof ROUTES;
type RouteOf<N extends RouteName> = (typeof ROUTES)[N];
type Parsed<R, K extends string> =
  R extends Record<K, infer S> ? (S extends z.ZodType ? z.output<S> : undefined) : undefined;
type Given<R, K extends string> =
  R extends Record<K, infer S> ? (S extends z.ZodType ? z.input<S> : undefined) : undefined;

/** What a handler receives and answers, by the route's name. */
export type RouteParams<N extends RouteName> = Parsed<RouteOf<N>, 'params'>;
export type RouteQuery<N extends RouteName> = Parsed<RouteOf<N>, 'query'>;
export type RouteBody<N extends RouteName> = Parsed<RouteOf<N>, 'body'>;
export type RouteOutput<N extends RouteName> = Parsed<RouteOf<N>, 'output'>;
/** What a client sends. */
export interface RouteInput<N extends RouteName> {
  params?: Given<RouteOf<N>, 'params'>;
  query?: Given<RouteOf<N>, 'query'>;
  body?: Given<RouteOf<N>, 'body'>;
}

/** State changes carry this header: a foreign page cannot send it without a preflight, which is refused. */
export const CSRF_HEADER = 'x-berth-request';
export const IDEMPOTENCY_HEADER = 'idempotency-key';

export function isAudited(route: Pick<Route, 'method' | 'audit'>): boolean {
  return route.audit === undefined ? route.method !== 'GET' : route.audit === 'always';
}
