import type { NewId } from '@berth/core/ids';
import type { Clock } from '../clock.ts';
import type { Queryable } from '../db/database.ts';
import { newCookieSecret, type RandomBytes, secretHash } from './credentials.ts';
import { deleteExpiredLogins, extendLogin, insertLogin, type LoginRow } from './login-repository.ts';

/** A login ends two weeks after it was last used, and three months after it began. */
const IDLE_MS = 14 * 86_400_000;
const LONGEST_MS = 90 * 86_400_000;
/** Writing each use of a login would make every read a write. */
const NOTE_USE_EVERY_MS = 60_000;

export interface LoginMaker {
  clock: Clock;
  newId: NewId;
  randomBytes: RandomBytes;
}

export interface NewLogin {
  id: string;
  /** Value of the cookie; only its hash is kept. */
  secret: string;
  expiresAt: Date;
}

export async function createLogin(
  database: Queryable,
  maker: LoginMaker,
  owner: { userId: string; address: string; userAgent: string | undefined },
): Promise<NewLogin> {
  const now = maker.clock();
  const secret = newCookieSecret(maker.randomBytes);
  const login = { id: maker.newId(), createdAt: now, lastUsedAt: now, expiresAt: new Date(now.getTime() + IDLE_MS) };
  await deleteExpiredLogins(database, owner.userId, now);
  await insertLogin(database, {
    ...login,
    userId: owner.userId,
    secretHash: secretHash(secret),
    address: owner.address,
    userAgent: owner.userAgent?.slice(0, 300),
  });
  return { id: login.id, secret, expiresAt: login.expiresAt };
}

/** Notes that a login was used. Returns its new end when the browser should be told, at most once a minute. */
export async function touchLogin(database: Queryable, login: LoginRow, now: Date): Promise<Date | undefined> {
  if (now.getTime() - login.lastUsedAt.getTime() < NOTE_USE_EVERY_MS) return undefined;
  const expiresAt = new Date(Math.min(now.getTime() + IDLE_MS, login.createdAt.getTime() + LONGEST_MS));
  await extendLogin(database, login.id, now, expiresAt);
  return expiresAt;
}
