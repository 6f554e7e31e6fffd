import { hash, verify } from '@node-rs/argon2';

/** argon2id as OWASP's password storage cheat sheet has it: 19 MiB, two passes, one lane. */
const PARAMETERS = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 } as const;

export function hashPassword(password: string): Promise<string> {
  return hash(password.normalize('NFKC'), PARAMETERS);
}

/**
 * Checks a password against an account's hash. Without a hash (no such account, or one without a password) it does the
 * same work and says no, so that the time taken tells nobody which accounts exist.
 */
export async function verifyPassword(passwordHash: string | undefined, password: string): Promise<boolean> {
  const right = await verify(passwordHash ?? (await nobodysHash()), password.normalize('NFKC'));
  return right && passwordHash !== undefined;
}

let hashOfNobody: Promise<string> | undefined;

function nobodysHash(): Promise<string> {
  hashOfNobody ??= hashPassword('nobody signs in with this');
  return hashOfNobody;
}
