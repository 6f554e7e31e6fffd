import { randomBytes, scryptSync, timingSafeEqual } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { identifier, literal, type PostgresServer, runStatements } from './server-programs.ts';

/** Salt and scrypt of the password last applied: tells a changed one without keeping it. */
const MARK = 'applied-password.scrypt';

/**
 * Makes the role's password the one in the environment, before anything listens. Changing the Secret and restarting the pod
 * is all that a rotation takes.
 */
export async function applyPassword(server: PostgresServer, role: { user: string; password: string }): Promise<void> {
  const mark = join(server.directory, MARK);
  if (await isApplied(mark, role)) return;
  await runStatements(server, [
    `SET password_encryption = 'scram-sha-256'`,
    createRoleIfMissing(role.user),
    `ALTER ROLE ${identifier(role.user)} WITH LOGIN PASSWORD ${literal(role.password)}`,
  ]);
  const salt = randomBytes(16);
  // Written last and renamed: a crash before this applies the same password once more.
  await writeFile(`${mark}.new`, `${salt.toString('hex')}:${digest(role, salt).toString('hex')}\n`, { mode: 0o600 });
  await rename(`${mark}.new`, mark);
}

async function isApplied(mark: string, role: { user: string; password: string }): Promise<boolean> {
  let text: string;
  try {
    text = await readFile(mark, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
  const [salt, kept] = text
    .trim()
    .split(':')
    .map((part) => Buffer.from(part, 'hex'));
  if (!salt || !kept || kept.length !== 32) return false;
  return timingSafeEqual(kept, digest(role, salt));
}

function digest(role: { user: string; password: string }, salt: Buffer): Buffer {
  return scryptSync(`${role.user}\0${role.password}`, salt, 32);
}

/** A volume from an earlier configuration may know other roles only. */
function createRoleIfMissing(user: string): string {
  const create = `CREATE ROLE ${identifier(user)} SUPERUSER LOGIN`;
  return `DO ${literal(`BEGIN IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = ${literal(user)}) ` + `THEN ${create}; END IF; END`)}`;
}
