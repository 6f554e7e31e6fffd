import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The part of 127.32.0.0/12 that this cluster's Services have their addresses in, as CIDR. Clusters on one machine share the
 * loopback network, so each takes one of 1024 parts, by its folder, and keeps it: addresses given stay valid.
 */
export function serviceNetwork(dataDirectory: string): string {
  const file = join(dataDirectory, 'service-network');
  const known = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  // Cut off, it is worked out again: the same, unless the folder was moved.
  if (NETWORK.test(known)) return known;
  const part = createHash('sha256').update(dataDirectory).digest().readUInt16BE(0) % PARTS;
  const [second, third] = [32 + (part >> 6), (part & 0x3f) << 2];
  const network = `127.${second}.${third}.0/22`;
  writeFileSync(file, `${network}\n`);
  return network;
}

const PARTS = 1024;
const NETWORK = /^127\.\d{1,3}\.\d{1,3}\.0\/22$/;
