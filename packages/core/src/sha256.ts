import { sha256 as digest } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** Hexadecimal SHA-256 of a text's UTF-8 bytes. Synchronous and the same in the browser, which `crypto.subtle` is not. */
export function sha256(text: string): string {
  return bytesToHex(digest(utf8ToBytes(text)));
}
