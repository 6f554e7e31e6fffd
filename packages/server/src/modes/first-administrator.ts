import type { PlanName } from '@berth/core/plans';
import { createAdministrator, hasAnyAdministrator } from '../auth/accounts.ts';
import type { Database } from '../db/database.ts';
import { isDatabaseUnavailable } from '../db/errors.ts';
import type { Logger } from '../logger.ts';
import { HopelessError } from '../processes/service.ts';
import type { TenantMaker } from '../tenant/create-organization.ts';

export interface FirstAdministrator {
  database: Database;
  maker: Omit<TenantMaker, 'defaultPlan'>;
  email: string | undefined;
  password: string | undefined;
  log: Pick<Logger, 'info'>;
}

/** Of the administrator's personal organization, as with `berth admin create`. */
const PLAN: PlanName = 'enterprise';

/** Somebody has to be able to sign in. Makes that account once; whoever starts later, with whatever settings, changes nothing of it. */
export async function requireAdministrator(wanted: FirstAdministrator): Promise<void> {
  const { database, email, password } = wanted;
  if (await hasAnyAdministrator(database)) return;
  if (email === undefined || password === undefined) {
    throw new HopelessError(
      'others can reach this Berth, and there is no administrator who could sign in: set BERTH_ADMIN_EMAIL and BERTH_ADMIN_PASSWORD, or make one with "berth admin create EMAIL"',
    );
  }
  try {
    const maker = { ...wanted.maker, defaultPlan: PLAN };
    await createAdministrator(database, maker, { email, name: email.split('@')[0] ?? email, password });
    wanted.log.info({ email }, 'the first administrator was made');
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    // Of two servers that start at once one makes it.
    if (await hasAnyAdministrator(database)) return;
    const why = error instanceof Error ? error.message : String(error);
    throw new HopelessError(`the administrator of BERTH_ADMIN_EMAIL and BERTH_ADMIN_PASSWORD cannot be made: ${why}`, {
      cause: error,
    });
  }
}
