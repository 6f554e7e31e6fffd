import { z } from 'zod';
import { byId, list, type Route } from '../route.ts';
import { displayNameSchema, emailSchema, meSchema, passwordSchema, tokenSchema } from '../tenant.ts';

export const configSchema = z
  .strictObject({
    version: z.string(),
    domain: z.string().describe('Apps answer at NAME.domain.'),
    appUrl: z.string().describe("An app's address with {name} in it."),
    signIn: z.strictObject({ dev: z.boolean(), password: z.boolean() }),
  })
  .meta({ id: 'Config' });

export const ACCOUNT_ROUTES = {
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
} as const satisfies Record<string, Route>;
