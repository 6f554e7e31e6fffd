import { BerthError } from '@berth/core/errors';
import type { Route } from '@berth/core/route';
import type { Authentication } from '../auth/actor.ts';
import { type Authenticator, reauthenticate } from '../auth/authenticate.ts';
import type { Access } from '../live/access-check.ts';
import { type Authoriser, authorise, type RawRequest } from './authorise.ts';

/** Whether somebody who was let in before still would be. Throws when that cannot be known now. */
export async function currentAccess(
  mount: Authenticator & Authoriser,
  who: { userId: string; authentication: Authentication },
  request: { route: Route; raw: RawRequest },
): Promise<Access> {
  const actor = await reauthenticate(mount, who.userId, who.authentication);
  if (!actor) return 'signed_out';
  try {
    await authorise(mount, { ...request, actor }, {});
    return 'granted';
  } catch (error) {
    if (error instanceof BerthError && error.status < 500) return 'access_removed';
    throw error;
  }
}
