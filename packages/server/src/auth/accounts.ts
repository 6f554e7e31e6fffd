import { BerthError } from '@berth/core/errors';
import { parseInput } from '@berth/core/parse';
import { displayNameSchema, emailSchema, passwordSchema } from '@berth/core/tenant';
import { z } from 'zod';
import { appendAudit } from '../audit/append-audit.ts';
import { SYSTEM_ACTORS } from '../audit/system-actors.ts';
import type { Database, Queryable, Transaction } from '../db/database.ts';
import { createPersonalOrganization, type TenantMaker } from '../tenant/create-organization.ts';
import { hashPassword } from './password.ts';
import { anyAdministrator, findUserByEmail, insertUser, type UserRow } from './user-repository.ts';

export const DEVELOPMENT_EMAIL = 'dev@localhost';

const administratorSchema = z.strictObject({ email: emailSchema, name: displayNameSchema, password: passwordSchema });

/** For `berth admin create`: an account that may manage the platform and signs in with a password. */
export async function createAdministrator(
  database: Database,
  maker: TenantMaker,
  input: { email: string; name: string; password: string },
): Promise<UserRow> {
  const { email, name, password } = parseInput(administratorSchema, input, 'The account');
  const passwordHash = await hashPassword(password);
  const user = await database.transaction(async (transaction) => {
    const made = await createUser(transaction, maker, { email, name, passwordHash, platformAdmin: true });
    if (made) {
      await appendAudit(transaction, {
        at: maker.clock(),
        actor: SYSTEM_ACTORS.administration,
        action: 'platform:admin',
        outcome: 'allowed',
        target: made.id,
        detail: `administrator ${email}`,
      });
    }
    return made;
  });
  if (user) return user;
  throw new BerthError('name_taken', `${email} has an account already; sign in with it, or choose another e-mail`, {
    fields: [{ path: 'email', message: 'has an account already' }],
  });
}

/** Somebody who can sign in with a password and manage the platform: required before others can reach the server. */
export function hasAnyAdministrator(database: Queryable): Promise<boolean> {
  return anyAdministrator(database);
}

/** dev@localhost, made when it is not there. Of two that make it at once one does, and both get it. */
export async function developmentUser(transaction: Transaction, maker: TenantMaker): Promise<UserRow> {
  const wanted = { email: DEVELOPMENT_EMAIL, name: 'Developer', platformAdmin: true };
  const user =
    (await findUserByEmail(transaction, DEVELOPMENT_EMAIL)) ??
    (await createUser(transaction, maker, wanted)) ??
    (await findUserByEmail(transaction, DEVELOPMENT_EMAIL));
  if (!user) throw new Error(`${DEVELOPMENT_EMAIL} is neither there nor can it be made`);
  return user;
}

/** A user with a personal organization, or undefined when the e-mail has an account. */
export async function createUser(
  transaction: Transaction,
  maker: TenantMaker,
  wanted: Pick<UserRow, 'email' | 'name' | 'passwordHash' | 'platformAdmin'>,
): Promise<UserRow | undefined> {
  const user = { id: maker.newId(), ...wanted, createdAt: maker.clock() };
  if (!(await insertUser(transaction, user))) return undefined;
  await createPersonalOrganization(transaction, maker, user);
  return user;
}
