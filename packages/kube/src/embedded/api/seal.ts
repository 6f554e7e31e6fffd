import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Seal, StoreAddress } from '../store/store.ts';

const PREFIX = 'sealed:v1:';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Secrets at rest: AES-256-GCM, a random nonce for each write, the object's address as associated data, so that a sealed value cannot be
 * moved to another object. Other resources are stored as they are.
 */
export function secretSeal(key: Buffer): Seal {
  if (key.length !== 32) throw new Error(`the encryption key has ${key.length} bytes; AES-256 needs 32`);
  return {
    seal(address, json) {
      if (address.resource !== 'secrets') return json;
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(associatedData(address));
      const text = Buffer.concat([cipher.update(json, 'utf8'), cipher.final()]);
      return PREFIX + Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64');
    },
    unseal(address, text) {
      if (!text.startsWith(PREFIX)) return text;
      try {
        const bytes = Buffer.from(text.slice(PREFIX.length), 'base64');
        const nonce = bytes.subarray(0, NONCE_BYTES);
        const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
          .setAAD(associatedData(address))
          .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
        const plain = [decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()];
        return Buffer.concat(plain).toString('utf8');
      } catch (error) {
        throw new Error(
          `the secret ${address.namespace}/${address.name} cannot be decrypted: is this the key it was written with?`,
          { cause: error },
        );
      }
    },
  };
}

function associatedData({ resource, namespace, name }: StoreAddress): Buffer {
  return Buffer.from(`/${resource}/${namespace}/${name}`);
}
