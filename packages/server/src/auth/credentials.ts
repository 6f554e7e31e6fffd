import { createHash, randomBytes as systemRandomBytes } from 'node:crypto';

/** Cookies and tokens are random; a hash of them is all that is kept, and without salt, since nobody can guess 256 bits. */
export type RandomBytes = (size: number) => Buffer;

export const systemRandom: RandomBytes = systemRandomBytes;

const SECRET_BYTES = 32;
export const TOKEN_PREFIX = 'berth_';
const TOKEN_PATTERN = /^berth_[A-Za-z0-9_-]{43}$/;
const COOKIE_PATTERN = /^[A-Za-z0-9_-]{43}$/;

export function newCookieSecret(randomBytes: RandomBytes): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** The prefix lets secret scanners find a leaked one. */
export function newToken(randomBytes: RandomBytes): string {
  return TOKEN_PREFIX + newCookieSecret(randomBytes);
}

export function isToken(text: string): boolean {
  return TOKEN_PATTERN.test(text);
}

export function isCookieSecret(text: string): boolean {
  return COOKIE_PATTERN.test(text);
}

export function secretHash(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
