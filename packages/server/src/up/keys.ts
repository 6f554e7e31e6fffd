import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { InternalCertificate } from './certificates.ts';

/**
 * Made once, on the first start, readable by their owner alone. Who has these files and the database has every secret; who
 * loses `master.key` has none. A start that finds data but no key refuses, for a new key would open nothing.
 */
export interface KeyFiles {
  /** Wraps the keys of the secrets store. */
  masterKey: string;
  /** Encrypts the Secret objects of the embedded cluster at rest. */
  clusterKey: string;
  authority: string;
  internalCertificate: string;
  internalKey: string;
}

export function keyFiles(directory: string): KeyFiles {
  return {
    masterKey: join(directory, 'master.key'),
    clusterKey: join(directory, 'cluster.key'),
    authority: join(directory, 'internal-ca.crt'),
    internalCertificate: join(directory, 'internal.crt'),
    internalKey: join(directory, 'internal.key'),
  };
}

export async function makeMissingKeys(
  directory: string,
  options: { dataExists: boolean; makeCertificate: () => Promise<InternalCertificate> },
): Promise<KeyFiles> {
  const files = keyFiles(directory);
  for (const file of [files.masterKey, files.clusterKey]) {
    if (existsSync(file)) continue;
    if (options.dataExists) {
      throw new Error(
        `${file} is gone, and without it the secrets in the database cannot be read: put it back from a backup`,
      );
    }
    writeOnce(file, `${randomBytes(32).toString('base64')}\n`);
  }
  const certificates = [files.authority, files.internalCertificate, files.internalKey];
  if (certificates.some((file) => !existsSync(file))) {
    const made = await options.makeCertificate();
    // These can be made anew at any time, and only together.
    for (const file of certificates) rmSync(file, { force: true });
    writeOnce(files.authority, made.authority);
    writeOnce(files.internalCertificate, made.certificate);
    writeOnce(files.internalKey, made.key);
  }
  return files;
}

/** Whole or not at all, and never over one that is there. */
function writeOnce(file: string, text: string): void {
  const unfinished = `${file}.${process.pid}.new`;
  writeFileSync(unfinished, text, { mode: 0o600, flush: true });
  try {
    linkSync(unfinished, file);
  } finally {
    rmSync(unfinished, { force: true });
  }
}
