import { X509Certificate } from 'node:crypto';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { makeInternalCertificate } from './certificates.ts';
import { type KeyFiles, makeMissingKeys } from './keys.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

function make(directory: string, dataExists = false): Promise<KeyFiles> {
  return makeMissingKeys(directory, { dataExists, makeCertificate: () => makeInternalCertificate(new Date()) });
}

describe('the keys of a Berth', () => {
  it('are made once, each for its owner alone', async () => {
    const directory = temporaryFolder();
    const files = await make(directory);
    const before = Object.values(files).map((file) => readFileSync(file, 'utf8'));
    await make(directory, true);
    expect(Object.values(files).map((file) => readFileSync(file, 'utf8'))).toEqual(before);
    for (const file of Object.values(files)) expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(Buffer.from(readFileSync(files.masterKey, 'utf8'), 'base64')).toHaveLength(32);
  });

  it('are not replaced when there is data that only the lost ones open', async () => {
    const directory = temporaryFolder();
    const files = await make(directory);
    rmSync(files.masterKey);
    await expect(make(directory, true)).rejects.toThrow('put it back from a backup');
  });

  it('have a certificate for this machine that only its own authority vouches for', async () => {
    const files = await make(temporaryFolder());
    const authority = new X509Certificate(readFileSync(files.authority));
    const certificate = new X509Certificate(readFileSync(files.internalCertificate));
    expect(certificate.verify(authority.publicKey)).toBe(true);
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(certificate.ca).toBe(false);
  });
});
