import type { Queryable } from '../db/database.ts';

/** SQL of logins (a browser's) and API tokens (a program's). */
export interface LoginRow {
  id: string;
  userId: string;
  createdAt: Date;
  lastUsedAt: Date;
  expiresAt: Date;
}

export interface TokenRow {
  id: string;
  userId: string;
  name: string;
  createdAt: Date;
  lastUsedAt?: Date;
  expiresAt?: Date;
}

export async function insertLogin(
  database: Queryable,
  login: LoginRow & { secretHash: Buffer; address: string; userAgent?: string },
): Promise<void> {
  await database.execute(
    `insert into logins (id, user_id, secret_hash, address, user_agent, created_at, last_used_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      login.id,
      login.userId,
      login.secretHash,
      login.address,
      login.userAgent,
      login.createdAt,
      login.lastUsedAt,
      login.expiresAt,
    ],
  );
}

const LOGIN = 'select id, user_id, created_at, last_used_at, expires_at from logins';

export async function findLoginBySecret(
  database: Queryable,
  secretHash: Buffer,
  now: Date,
): Promise<LoginRow | undefined> {
  const rows = await database.query<LoginRow>(
    `${LOGIN} where secret_hash = $1 and expires_at > $2`,
    [secretHash, now],
    {
      prepared: 'login_by_secret',
    },
  );
  return rows[0];
}

export async function findLoginById(database: Queryable, id: string, now: Date): Promise<LoginRow | undefined> {
  return (await database.query<LoginRow>(`${LOGIN} where id = $1 and expires_at > $2`, [id, now]))[0];
}

export async function extendLogin(database: Queryable, id: string, usedAt: Date, expiresAt: Date): Promise<void> {
  await database.execute('update logins set last_used_at = $2, expires_at = $3 where id = $1', [id, usedAt, expiresAt]);
}

export async function deleteLogin(database: Queryable, id: string): Promise<void> {
  await database.execute('delete from logins where id = $1', [id]);
}

export async function deleteOtherLogins(database: Queryable, userId: string, keptId: string): Promise<number> {
  return database.execute('delete from logins where user_id = $1 and id <> $2', [userId, keptId]);
}

export async function deleteExpiredLogins(database: Queryable, userId: string, now: Date): Promise<void> {
  await database.execute('delete from logins where user_id = $1 and expires_at <= $2', [userId, now]);
}

export async function insertToken(database: Queryable, token: TokenRow & { secretHash: Buffer }): Promise<void> {
  await database.execute(
    'insert into api_tokens (id, user_id, name, secret_hash, created_at, expires_at) values ($1, $2, $3, $4, $5, $6)',
    [token.id, token.userId, token.name, token.secretHash, token.createdAt, token.expiresAt],
  );
}

const TOKEN = 'select id, user_id, name, created_at, last_used_at, expires_at from api_tokens';

export async function findTokenBySecret(
  database: Queryable,
  secretHash: Buffer,
  now: Date,
): Promise<TokenRow | undefined> {
  const rows = await database.query<TokenRow>(
    `${TOKEN} where secret_hash = $1 and (expires_at is null or expires_at > $2)`,
    [secretHash, now],
    { prepared: 'token_by_secret' },
  );
  return rows[0];
}

export async function findTokenById(database: Queryable, id: string, now: Date): Promise<TokenRow | undefined> {
  const rows = await database.query<TokenRow>(`${TOKEN} where id = $1 and (expires_at is null or expires_at > $2)`, [
    id,
    now,
  ]);
  return rows[0];
}

export function findTokens(database: Queryable, userId: string): Promise<TokenRow[]> {
  return database.query(`${TOKEN} where user_id = $1 order by created_at desc, id`, [userId]);
}

export async function markTokenUsed(database: Queryable, id: string, usedAt: Date): Promise<void> {
  await database.execute('update api_tokens set last_used_at = $2 where id = $1', [id, usedAt]);
}

/** False when the person has no such token. */
export async function deleteToken(database: Queryable, id: string, userId: string): Promise<boolean> {
  return (await database.execute('delete from api_tokens where id = $1 and user_id = $2', [id, userId])) === 1;
}
