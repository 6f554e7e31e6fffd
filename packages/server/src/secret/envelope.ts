import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { findMasterKey, type MasterKey, type MasterKeys } from './master-keys.ts';

/**
 * Envelope encryption of one value.
 *
 *     value     --AES-256-GCM-->  ciphertext     by a random data key that is used once
 *     data key  --AES-256-GCM-->  wrapped key    by the master key whose id is kept beside it
 *
 * Both are bound to the value's address (team, path, key, version) as associated data: a ciphertext copied to another row,
 * or an old version put back, does not open. A sealed part is `nonce (12) || tag (16) || encrypted`.
 */
export interface Sealed {
  ciphertext: Buffer;
  wrappedKey: Buffer;
  keyId: string;
}

export interface SecretAddress {
  teamId: string;
  path: string;
  key: string;
  version: number;
}

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const DATA_KEY_BYTES = 32;

export function seal(value: Buffer, address: SecretAddress, master: MasterKey): Sealed {
  const dataKey = randomBytes(DATA_KEY_BYTES);
  const sealed = {
    ciphertext: encrypt(value, dataKey, associatedData('value', address)),
    wrappedKey: encrypt(dataKey, master.key, associatedData('key', address)),
    keyId: master.id,
  };
  dataKey.fill(0);
  return sealed;
}

export function open(sealed: Sealed, address: SecretAddress, keys: MasterKeys): Buffer {
  const master = findMasterKey(keys, sealed.keyId);
  const dataKey = decrypt(sealed.wrappedKey, master.key, associatedData('key', address));
  return decrypt(sealed.ciphertext, dataKey, associatedData('value', address));
}

/** JSON of an array is unambiguous: no two addresses give the same bytes. */
function associatedData(part: 'value' | 'key', { teamId, path, key, version }: SecretAddress): Buffer {
  return Buffer.from(JSON.stringify(['berth secret', part, teamId, path, key, version]));
}

function encrypt(plain: Buffer, key: Buffer, associated: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(associated);
  const encrypted = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]);
}

function decrypt(sealed: Buffer, key: Buffer, associated: Buffer): Buffer {
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(associated);
  decipher.setAuthTag(tag);
  try {
    return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  } catch (cause) {
    throw new Error('a stored secret does not open: it was changed, moved or belongs to another key', { cause });
  }
}
