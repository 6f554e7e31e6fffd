import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

export interface TestCertificates {
  ca: string;
  server: { cert: string; key: string };
  client: { cert: string; key: string };
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** An authority with one server certificate for localhost and one client certificate, all new. */
export async function makeTestCertificates(clientName = 'test-client'): Promise<TestCertificates> {
  const authorityKeys = await makeKeys();
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=test-authority',
    keys: authorityKeys,
    signingAlgorithm: ALGORITHM,
    extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
  });
  async function issue(subject: string, extensions: x509.Extension[]) {
    const keys = await makeKeys();
    const signingKey = authorityKeys.privateKey;
    const { publicKey } = keys;
    const issuer = authority.subject;
    const options = { subject, issuer, publicKey, signingKey, signingAlgorithm: ALGORITHM, extensions };
    const certificate = await x509.X509CertificateGenerator.create(options);
    const key = await crypto.subtle.exportKey('pkcs8', keys.privateKey);
    return { cert: certificate.toString('pem'), key: x509.PemConverter.encode(key, 'PRIVATE KEY') };
  }
  const names = new x509.SubjectAlternativeNameExtension([
    { type: 'dns', value: 'localhost' },
    { type: 'ip', value: '127.0.0.1' },
  ]);
  return {
    ca: authority.toString('pem'),
    server: await issue('CN=localhost', [names]),
    client: await issue(`CN=${clientName}`, []),
  };
}

function makeKeys(): Promise<CryptoKeyPair> {
  return crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}
