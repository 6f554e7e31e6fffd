import { z } from 'zod';
import { idSchema } from './ids.ts';
import { organizationRoleSchema, permissionSchema, teamRoleSchema } from './permissions.ts';
import { planNameSchema } from './plans.ts';

/** Platform -> organization (billing) -> team -> everything that runs. */
export const displayNameSchema = z
  .string()
  .trim()
  .min(1, { error: 'is required' })
  .max(60, { error: 'takes at most 60 characters' })
  .regex(/^[^\p{Cc}]+$/u, { error: 'must not contain control characters' });

export const emailSchema = z
  .string()
  .trim()
  .toLowerCase()
  .max(254)
  .regex(/^[^\s@]+@[^\s@]+$/, { error: 'is not an e-mail address' });

export const passwordSchema = z.string().min(10, { error: 'needs at least 10 characters' }).max(256);

export const userSchema = z
  .strictObject({ id: idSchema, email: z.string(), name: z.string(), platformAdmin: z.boolean() })
  .meta({ id: 'User' });
export type User = z.infer<typeof userSchema>;

export const organizationSchema = z
  .strictObject({
    id: idSchema,
    name: z.string(),
    personal: z.boolean(),
    plan: planNameSchema,
    role: organizationRoleSchema.optional().describe('Yours.'),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Organization' });
export type Organization = z.infer<typeof organizationSchema>;

export const teamSchema = z
  .strictObject({
    id: idSchema,
    name: z.string(),
    organizationId: idSchema,
    organizationName: z.string(),
    namespace: z.string(),
    role: teamRoleSchema.optional().describe('Yours, when it is a role of the team itself.'),
    permissions: z.array(permissionSchema).describe('What you may do in this team.'),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Team' });
export type Team = z.infer<typeof teamSchema>;

export const memberSchema = z
  .strictObject({ userId: idSchema, email: z.string(), name: z.string(), role: teamRoleSchema })
  .meta({ id: 'Member' });
export type Member = z.infer<typeof memberSchema>;

export const meSchema = z
  .strictObject({
    user: userSchema,
    authentication: z.enum(['login', 'token']),
    organizations: z.array(organizationSchema),
    teams: z.array(teamSchema),
  })
  .meta({ id: 'Me' });
export type Me = z.infer<typeof meSchema>;

export const tokenSchema = z
  .strictObject({
    id: idSchema,
    name: z.string(),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime().optional(),
    lastUsedAt: z.iso.datetime().optional(),
  })
  .meta({ id: 'Token' });
export type Token = z.infer<typeof tokenSchema>;
