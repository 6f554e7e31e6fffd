import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** The keys that wrap data keys. New values use `current`; `previous` ones still open what they wrapped. */
export interface MasterKeys {
  current: MasterKey;
  previous: readonly MasterKey[];
}

export interface MasterKey {
  id: string;
  /** 32 bytes. */
  key: Buffer;
}

const KEY_BYTES = 32;

/** Checks and freezes the keys. Throws for what would only fail at the first secret. */
export function masterKeys(current: MasterKey, previous: readonly MasterKey[] = []): MasterKeys {
  const all = [current, ...previous];
  for (const { id, key } of all) {
    if (!/^[A-Za-z0-9._-]{1,64}$/.test(id))
      throw new Error(`"${id}" is no id of a secrets key: use letters and digits`);
    if (key.length !== KEY_BYTES) {
      throw new Error(`the secrets key "${id}" has ${key.length} bytes; it must have ${KEY_BYTES}: make a new file`);
    }
  }
  if (new Set(all.map(({ id }) => id)).size < all.length) throw new Error('two secrets keys have the same id');
  return Object.freeze({ current, previous: Object.freeze([...previous]) });
}

export function findMasterKey(keys: MasterKeys, id: string): MasterKey {
  const found = [keys.current, ...keys.previous].find((each) => each.id === id);
  if (!found) throw new Error(`a secret is wrapped by the key "${id}", which is not among the keys given at start`);
  return found;
}

/**
 * A fingerprint of text that may hold secrets: whoever has the database alone cannot try guesses against it, as they could
 * against a plain hash.
 */
export function fingerprint(keys: MasterKeys, text: string): string {
  return fingerprintBy(keys.current, text);
}

/** Also true for a fingerprint that was made before the key was rotated. */
export function isFingerprintOf(keys: MasterKeys, made: string, text: string): boolean {
  const key = [keys.current, ...keys.previous].find(({ id }) => made.startsWith(`${id}:`));
  if (!key) return false;
  const expected = Buffer.from(fingerprintBy(key, text));
  const given = Buffer.from(made);
  return expected.length === given.length && timingSafeEqual(expected, given);
}

function fingerprintBy({ id, key }: MasterKey, text: string): string {
  const derived = Buffer.from(hkdfSync('sha256', key, '', 'berth request fingerprint', KEY_BYTES));
  return `${id}:${createHmac('sha256', derived).update(text).digest('hex')}`;
}
