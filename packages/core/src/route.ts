import { z } from 'zod';
import { idSchema } from './ids.ts';
import type { Permission } from './permissions.ts';

/** One request of the REST contract (`api.ts`). */
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
  /**
   * The answer's body; absent for 204, 'stream' for what never ends by itself (Server-Sent Events, a download),
   * 'socket' for a WebSocket.
   */
  output?: z.ZodType | 'stream' | 'socket';
  /** Whether a success leaves an audit record: when absent, a change does and a read does not. A denial always does. */
  audit?: 'always' | 'never';
  /** Status on success; 200 when absent, 101 of a socket. */
  status?: 101 | 200 | 201 | 202 | 204;
}

/** Parts that many routes have. */
export const list = <T extends z.ZodType>(item: T) =>
  z.strictObject({ items: z.array(item), next: z.string().optional().describe('Send as `cursor` for the next page.') });
export const byId = z.strictObject({ id: idSchema });
export const byTeam = z.strictObject({ teamId: idSchema });
export const byOrganization = z.strictObject({ organizationId: idSchema });
export const page = {
  limit: z.coerce.number().int().min(1).max(500).optional(),
  cursor: z.string().max(200).optional(),
};
export const inTeam = { team: idSchema.optional().describe('Your personal team when absent.') };
