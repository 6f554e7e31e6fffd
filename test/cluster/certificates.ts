import 'reflect-metadata';
import { createPrivateKey, generateKeyPairSync, webcrypto } from 'node:crypto';
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as x509 from '@peculiar/x509';

/** An authority that is kept in files, and what it signs. Each pair is made once: what is there stays. */
export interface Pair {
  certificate: string;
  key: string;
}

export interface Wanted {
  commonName: string;
  organization?: string;
  hosts?: string[];
  addresses?: string[];
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;
const DAYS = 365;

x509.cryptoProvider.set(webcrypto as Crypto);

export async function ensureAuthority(at: Pair, commonName: string): Promise<void> {
  if (await isThere(at.certificate)) return;
  const keys = await makeKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${commonName}`,
    keys,
    signingAlgorithm: ALGORITHM,
    ...validity(),
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  await keep(at, keys.privateKey, certificate);
}

export async function ensureCertificate(at: Pair, authority: Pair, wanted: Wanted): Promise<void> {
  if (await isThere(at.certificate)) return;
  const issuer = new x509.X509Certificate(await readFile(authority.certificate, 'utf8'));
  const keys = await makeKeys();
  const names = [
    ...(wanted.hosts ?? []).map((value) => ({ type: 'dns' as const, value })),
    ...(wanted.addresses ?? []).map((value) => ({ type: 'ip' as const, value })),
  ];
  const subject: x509.JsonName = [
    ...(wanted.organization ? [{ O: [wanted.organization] }] : []),
    { CN: [wanted.commonName] },
  ];
  const certificate = await x509.X509CertificateGenerator.create({
    subject,
    issuer: issuer.subject,
    publicKey: keys.publicKey,
    signingKey: await readSigningKey(authority.key),
    signingAlgorithm: ALGORITHM,
    ...validity(),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth]),
      ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names)] : []),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  });
  await keep(at, keys.privateKey, certificate);
}

/** For the tokens of service accounts: the private key signs, the public one, in the place of a certificate, checks. */
export async function ensureSigningKeys(at: Pair): Promise<void> {
  if (await isThere(at.certificate)) return;
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  await mkdir(dirname(at.key), { recursive: true, mode: 0o700 });
  await writeFile(at.key, privateKey.export({ type: 'sec1', format: 'pem' }), { mode: 0o600 });
  await writeFile(at.certificate, publicKey.export({ type: 'spki', format: 'pem' }));
}

/** The key first: a certificate that is there has its key. */
async function keep(at: Pair, key: CryptoKey, certificate: x509.X509Certificate): Promise<void> {
  await mkdir(dirname(at.key), { recursive: true, mode: 0o700 });
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
  const pem = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }).export({ type: 'pkcs8', format: 'pem' });
  await writeFile(at.key, pem, { mode: 0o600 });
  await writeFile(at.certificate, `${certificate.toString('pem')}\n`);
}

async function readSigningKey(path: string): Promise<CryptoKey> {
  const der = createPrivateKey(await readFile(path, 'utf8')).export({ type: 'pkcs8', format: 'der' });
  return (await webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, true, ['sign'])) as CryptoKey;
}

/** From an hour ago, for clocks that differ a little. */
function validity(): { notBefore: Date; notAfter: Date } {
  const now = Date.now();
  return { notBefore: new Date(now - 3_600_000), notAfter: new Date(now + DAYS * DAY_MS) };
}

async function makeKeys(): Promise<CryptoKeyPair> {
  return (await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])) as CryptoKeyPair;
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
