import 'reflect-metadata';
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  X509Certificate as NodeCertificate,
  webcrypto,
} from 'node:crypto';
import { chmod, mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import * as x509 from '@peculiar/x509';

/**
 * The cluster's own authority. Made once and kept in one directory that only its owner may enter: `ca.crt`, `ca.key`, the server's
 * `apiserver.crt` and `apiserver.key`, and `service-account.key`, which signs tokens.
 */
export interface Pki {
  caCertificate: string;
  serverCertificate: string;
  serverKey: string;
  /** EC private key in PEM. */
  tokenKey: string;
  issue(user: { name: string; groups: string[] }, now: number): Promise<ClientCredentials>;
}

export interface ClientCredentials {
  certificate: string;
  key: string;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 24 * 60 * 60 * 1000;
const AUTHORITY_DAYS = 3650;
const SERVER_DAYS = 365;
/** A server certificate is made anew at a start when it has less than this to live. */
const RENEW_BEFORE_DAYS = 60;
const CLIENT_DAYS = 365;
const SERVER_NAMES = [
  'localhost',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
];

x509.cryptoProvider.set(webcrypto as Crypto);

export async function openPki(directory: string, options: { now: number; addresses: string[] }): Promise<Pki> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await chmod(directory, 0o700);
  const file = (name: string) => join(directory, name);
  const ca = (await readPair(file('ca'))) ?? (await keep(file('ca'), await makeAuthority(options.now)));
  const authority = await loadAuthority(ca);
  const known = await readPair(file('apiserver'));
  const server =
    known && stillGood(known.certificate, ca.certificate, options)
      ? known
      : await keep(file('apiserver'), await makeServer(authority, options));
  const tokenKey =
    (await readIfThere(file('service-account.key'))) ?? (await keepFile(file('service-account.key'), makeTokenKey()));
  return {
    caCertificate: ca.certificate,
    serverCertificate: server.certificate,
    serverKey: server.key,
    tokenKey,
    issue: (user, now) => makeClient(authority, user, now),
  };
}

interface Authority {
  certificate: x509.X509Certificate;
  key: CryptoKey;
}

async function makeAuthority(now: number): Promise<ClientCredentials> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: 'CN=kubernetes-ca',
    ...validity(now, AUTHORITY_DAYS),
    signingAlgorithm: ALGORITHM,
    keys: keys as CryptoKeyPair,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign | x509.KeyUsageFlags.digitalSignature,
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey as CryptoKey),
    ],
  });
  return { certificate: certificate.toString('pem'), key: await exportKey(keys.privateKey as CryptoKey) };
}

async function loadAuthority({ certificate, key }: ClientCredentials): Promise<Authority> {
  const der = createPrivateKey(key).export({ type: 'pkcs8', format: 'der' });
  return {
    certificate: new x509.X509Certificate(certificate),
    key: (await webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, true, ['sign'])) as CryptoKey,
  };
}

function makeServer(
  authority: Authority,
  { now, addresses }: { now: number; addresses: string[] },
): Promise<ClientCredentials> {
  const names = new x509.SubjectAlternativeNameExtension([
    ...SERVER_NAMES.map((value) => ({ type: 'dns' as const, value })),
    ...addresses.map((value) => ({ type: 'ip' as const, value })),
  ]);
  const usage = new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]);
  return sign(authority, { subject: [{ CN: ['kube-apiserver'] }], extensions: [names, usage], now, days: SERVER_DAYS });
}

function makeClient(
  authority: Authority,
  user: { name: string; groups: string[] },
  now: number,
): Promise<ClientCredentials> {
  const subject = [...user.groups.map((group) => ({ O: [group] })), { CN: [user.name] }];
  const usage = new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth]);
  return sign(authority, { subject, extensions: [usage], now, days: CLIENT_DAYS });
}

async function sign(
  authority: Authority,
  wanted: { subject: x509.JsonName; extensions: x509.Extension[]; now: number; days: number },
): Promise<ClientCredentials> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serial(),
    subject: wanted.subject,
    issuer: authority.certificate.subject,
    ...validity(wanted.now, wanted.days),
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey as CryptoKey,
    signingKey: authority.key,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      ...wanted.extensions,
      await x509.AuthorityKeyIdentifierExtension.create(authority.certificate.publicKey),
    ],
  });
  return { certificate: certificate.toString('pem'), key: await exportKey(keys.privateKey as CryptoKey) };
}

/** From an hour ago, for clocks that differ a little. */
function validity(now: number, days: number): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(now - 3_600_000), notAfter: new Date(now + days * DAY_MS) };
}

function serial(): string {
  const bytes = webcrypto.getRandomValues(new Uint8Array(16));
  // Positive and not zero, as RFC 5280 asks.
  bytes[0] = (bytes[0]! & 0x7f) | 0x01;
  return Buffer.from(bytes).toString('hex');
}

async function exportKey(key: CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }).export({
    type: 'pkcs8',
    format: 'pem',
  }) as string;
}

function makeTokenKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
}

function stillGood(certificate: string, ca: string, { now, addresses }: { now: number; addresses: string[] }): boolean {
  const parsed = new NodeCertificate(certificate);
  const signed = parsed.verify(createPublicKey(ca));
  const named = addresses.every((address) => parsed.checkIP(address) !== undefined);
  return signed && named && Date.parse(parsed.validTo) > now + RENEW_BEFORE_DAYS * DAY_MS;
}

async function readPair(path: string): Promise<ClientCredentials | undefined> {
  const [certificate, key] = await Promise.all([readIfThere(`${path}.crt`), readIfThere(`${path}.key`)]);
  return certificate && key ? { certificate, key } : undefined;
}

/** The key first: a certificate without its key would be useless, the other way round it is made again. */
async function keep(path: string, pair: ClientCredentials): Promise<ClientCredentials> {
  await keepFile(`${path}.key`, pair.key);
  await keepFile(`${path}.crt`, pair.certificate);
  return pair;
}

/** Whole or not at all, whatever happens in between. */
async function keepFile(path: string, text: string): Promise<string> {
  const handle = await open(`${path}.new`, 'w', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${path}.new`, path);
  return text;
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
