import { X509Certificate } from 'node:crypto';
import { KubeError } from '@berth/kube/schema/status';
import { expect, it } from 'vitest';
import { makeMissingSecret } from './missing-secret.ts';
import { wantedSecrets } from './run-keys.ts';

const SETTINGS = {
  ...{ kubeconfigFile: undefined, serviceHost: undefined, servicePort: 443 },
  secret: 'berth-keys',
  internalNames: ['berth-internal.berth.svc', '10.0.0.1'],
  databaseSecret: 'berth-database',
  databaseHost: 'berth-postgres',
};
const NOW = new Date('2026-05-05T10:00:00Z');

it('the keys are those that a server reads, with a certificate for the names that were asked for', async () => {
  const [keys, database] = await wantedSecrets(SETTINGS, NOW);
  expect(keys?.name).toBe('berth-keys');
  const values = keys?.values ?? {};
  expect(Object.keys(values)).toEqual([
    'master-key',
    'internal-ca.crt',
    'internal.crt',
    'internal.key',
    'admin-password',
  ]);
  expect(Buffer.from(values['master-key'] ?? '', 'base64')).toHaveLength(32);
  const certificate = new X509Certificate(values['internal.crt'] ?? '');
  expect(certificate.subjectAltName).toBe('DNS:berth-internal.berth.svc, IP Address:10.0.0.1');
  expect(certificate.verify(new X509Certificate(values['internal-ca.crt'] ?? '').publicKey)).toBe(true);
  expect(database).toEqual({
    name: 'berth-database',
    values: {
      password: expect.stringMatching(/^[\w-]{32}$/),
      url: `postgres://berth:${database?.values.password}@berth-postgres:5432/berth`,
    },
  });
  expect(await wantedSecrets({ ...SETTINGS, databaseSecret: undefined }, NOW)).toHaveLength(1);
});

it('a Secret that is there stays as it is, and any other refusal is told', async () => {
  const secret = { name: 'berth-keys', namespace: 'berth', values: { a: 'b' } };
  const made: unknown[] = [];
  const create = async (_type: unknown, object: unknown) => {
    made.push(object);
    return object as never;
  };
  expect(await makeMissingSecret({ create }, secret)).toBe(true);
  expect(made).toMatchObject([{ metadata: { name: 'berth-keys', namespace: 'berth' }, stringData: { a: 'b' } }]);
  const refusing = (reason: 'AlreadyExists' | 'Forbidden', code: number) => ({
    create: () => Promise.reject(new KubeError(code, reason, 'no')),
  });
  expect(await makeMissingSecret(refusing('AlreadyExists', 409), secret)).toBe(false);
  await expect(makeMissingSecret(refusing('Forbidden', 403), secret)).rejects.toThrow('no');
});
