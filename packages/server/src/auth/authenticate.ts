import { BerthError } from '@berth/core/errors';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import type { Actor, Authentication } from './actor.ts';
import { isCookieSecret, isToken, secretHash } from './credentials.ts';
import { touchLogin } from './login.ts';
import {
  findLoginById,
  findLoginBySecret,
  findTokenById,
  findTokenBySecret,
  markTokenUsed,
  type TokenRow,
} from './login-repository.ts';
import { findActor } from './user-repository.ts';

export interface Authenticator {
  database: Database;
  clock: Clock;
}

export interface Credentials {
  /** The header, as it came. It wins over the cookie: whoever sends one means it. */
  authorization: string | undefined;
  cookie: string | undefined;
}

export interface Authenticated {
  actor: Actor;
  /** The login's new end, when its cookie should be sent again. */
  extendedTo?: Date;
}

const NOTE_USE_EVERY_MS = 60_000;

/** Undefined when nothing was presented; throws `unauthenticated` when what was presented is not (or no longer) good. */
export async function authenticate(
  authenticator: Authenticator,
  credentials: Credentials,
): Promise<Authenticated | undefined> {
  if (credentials.authorization !== undefined) return byToken(authenticator, credentials.authorization);
  if (credentials.cookie !== undefined) return byCookie(authenticator, credentials.cookie);
  return undefined;
}

/** Whether a proof that was good before still is. Streams ask while they are open. */
export async function reauthenticate(
  { database, clock }: Authenticator,
  userId: string,
  proof: Authentication,
): Promise<Actor | undefined> {
  const find = proof.kind === 'login' ? findLoginById : findTokenById;
  return (await find(database, proof.id, clock())) && findActor(database, userId, proof);
}

async function byToken({ database, clock }: Authenticator, authorization: string): Promise<Authenticated> {
  const [, text] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
  if (text === undefined || !isToken(text)) throw refused('send "Authorization: Bearer berth_..." with an API token');
  const now = clock();
  const token = await findTokenBySecret(database, secretHash(text), now);
  const actor = token && (await findActor(database, token.userId, { kind: 'token', id: token.id }));
  if (!actor) throw refused('this API token is not known, was revoked or has expired; make a new one');
  if (isDue(token, now)) await markTokenUsed(database, token.id, now);
  return { actor };
}

async function byCookie({ database, clock }: Authenticator, cookie: string): Promise<Authenticated> {
  const now = clock();
  const login = isCookieSecret(cookie) ? await findLoginBySecret(database, secretHash(cookie), now) : undefined;
  const actor = login && (await findActor(database, login.userId, { kind: 'login', id: login.id }));
  if (!actor) throw refused('your login has ended; sign in again');
  return { actor, extendedTo: await touchLogin(database, login, now) };
}

function isDue(token: TokenRow, now: Date): boolean {
  return now.getTime() - (token.lastUsedAt?.getTime() ?? 0) >= NOTE_USE_EVERY_MS;
}

function refused(why: string): BerthError {
  return new BerthError('unauthenticated', `You are not signed in: ${why}`);
}
