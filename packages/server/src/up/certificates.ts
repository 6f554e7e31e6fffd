import 'reflect-metadata';
import { isIP } from 'node:net';
import * as x509 from '@peculiar/x509';

/** In PEM. */
export interface InternalCertificate {
  authority: string;
  certificate: string;
  key: string;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const YEARS = 10;

/**
 * For the endpoint that hands out secrets: an authority whose key is thrown away at once, so that it can vouch for nothing
 * else, and the one certificate that it signed, for these host names and addresses.
 */
export async function makeInternalCertificate(
  now: Date,
  names: readonly string[] = ['localhost', '127.0.0.1'],
): Promise<InternalCertificate> {
  const authorityKeys = await makeKeys();
  const validity = {
    notBefore: new Date(now.getTime() - 3_600_000),
    notAfter: new Date(now.getTime() + YEARS * 365 * 86_400_000),
  };
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=berth internal authority',
    keys: authorityKeys,
    signingAlgorithm: ALGORITHM,
    ...validity,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  });
  const keys = await makeKeys();
  const certificate = await x509.X509CertificateGenerator.create({
    subject: 'CN=berth internal',
    issuer: authority.subject,
    publicKey: keys.publicKey,
    signingKey: authorityKeys.privateKey,
    signingAlgorithm: ALGORITHM,
    ...validity,
    extensions: [
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const), value })),
      ),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    ],
  });
  const key = x509.PemConverter.encode(await crypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY');
  return {
    authority: `${authority.toString('pem')}\n`,
    certificate: `${certificate.toString('pem')}\n`,
    key: `${key}\n`,
  };
}

function makeKeys(): Promise<CryptoKeyPair> {
  return crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}
