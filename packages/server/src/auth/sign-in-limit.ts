import { isIP } from 'node:net';
import { BerthError } from '@berth/core/errors';
import type { Queryable } from '../db/database.ts';

/**
 * How often somebody may try a password. Counted in the database, so that it holds over a restart and over several
 * servers, and before the password is looked at, so that a burst cannot slip through.
 */
const WINDOW_MS = 15 * 60 * 1000;
const ATTEMPTS_BY_ADDRESS = 50;
const ATTEMPTS_BY_EMAIL = 10;
/** Expired rows are removed a few at a time, by whoever comes. */
const SWEEP = 50;

export interface SignInAttempt {
  address: string;
  email: string;
}

/** Counts the attempt, or throws `rate_limited`. */
export async function countSignInAttempt(database: Queryable, attempt: SignInAttempt, now: Date): Promise<void> {
  await database.execute(
    'delete from rate_limits where key in (select key from rate_limits where resets_at <= $1 limit $2)',
    [now, SWEEP],
  );
  await count(database, { key: addressKey(attempt), allowed: ATTEMPTS_BY_ADDRESS }, now);
  await count(database, { key: emailKey(attempt), allowed: ATTEMPTS_BY_EMAIL }, now);
}

/** Whoever knew the password has not been guessing. */
export async function forgiveSignInAttempts(database: Queryable, attempt: SignInAttempt): Promise<void> {
  await database.execute('delete from rate_limits where key = $1', [emailKey(attempt)]);
}

/** For the header Retry-After. */
export function retryAfterSeconds(error: BerthError): number | undefined {
  return error.details.cause instanceof RetryAfter ? error.details.cause.seconds : undefined;
}

class RetryAfter extends Error {
  readonly seconds: number;

  constructor(seconds: number) {
    super(`again in ${seconds} s`);
    this.seconds = seconds;
  }
}

async function count(database: Queryable, limit: { key: string; allowed: number }, now: Date): Promise<void> {
  const [row] = await database.query<{ count: number; resetsAt: Date }>(
    `insert into rate_limits (key, count, resets_at) values ($1, 1, $2)
     on conflict (key) do update set
       count = case when rate_limits.resets_at <= $3 then 1 else rate_limits.count + 1 end,
       resets_at = case when rate_limits.resets_at <= $3 then excluded.resets_at else rate_limits.resets_at end
     returning count, resets_at`,
    [limit.key, new Date(now.getTime() + WINDOW_MS), now],
  );
  if (!row || row.count <= limit.allowed) return;
  const seconds = Math.max(1, Math.ceil((row.resetsAt.getTime() - now.getTime()) / 1000));
  throw new BerthError(
    'rate_limited',
    `Too many attempts to sign in; wait ${Math.ceil(seconds / 60)} minutes and try again`,
    { cause: new RetryAfter(seconds) },
  );
}

function addressKey({ address }: SignInAttempt): string {
  return `sign-in address ${networkOf(address)}`;
}

/** Whoever has one address of IPv6 has the 2^64 of its network, and would have as many attempts. */
function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [before = '', after = ''] = address.split('::');
  const head = before.split(':').filter((part) => part !== '');
  const tail = after.split(':').filter((part) => part !== '');
  const between = Math.max(8 - head.length - tail.length, 0);
  const groups = [...head, ...Array<string>(between).fill('0'), ...tail].map((group) =>
    parseInt(group, 16).toString(16),
  );
  return `${groups.slice(0, 4).join(':')}::/64`;
}

function emailKey({ email }: SignInAttempt): string {
  return `sign-in e-mail ${email}`;
}
