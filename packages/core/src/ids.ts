import { z } from 'zod';

/** Immutable ids: 16 lower-case letters and digits, first a letter, so that an id fits every Kubernetes name. */
export const idSchema = z.string().regex(/^[a-z][a-z0-9]{15}$/, { error: 'is not an id' });

export type NewId = () => string;

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const ALPHABET = `${LETTERS}0123456789`;

/** Makes ids from a source of random bytes (82 bits each). */
export function idsFrom(randomBytes: (size: number) => Uint8Array): NewId {
  return () => {
    const bytes = randomBytes(32);
    let id = LETTERS[(bytes[0] ?? 0) % 26] ?? 'a';
    // 252 is the largest multiple of 36 in a byte: rejecting the rest keeps every character equally likely.
    for (let at = 1; id.length < 16; at++) {
      const byte = at < bytes.length ? (bytes[at] ?? 0) : (randomBytes(1)[0] ?? 0);
      if (byte < 252) id += ALPHABET[byte % 36];
    }
    return id;
  };
}
