import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPostgres, type TestPostgres } from '../../testing/postgres.ts';
import { memoryJournal } from '../store/journal.ts';
import { JournaledStore } from '../store/journaled-store.ts';
import { postgresStore } from '../store/postgres-journal.ts';
import type { StoreAddress } from '../store/store.ts';
import { secretSeal } from './seal.ts';
import { startTestServer } from './testing/start-test-server.ts';

const SECRETS = '/api/v1/namespaces/default/secrets';
const VALUE = 'correct horse battery staple';
const key = randomBytes(32);
const address = (name: string, namespace = 'a'): StoreAddress => ({ resource: 'secrets', namespace, name });

describe('the seal of Secrets', () => {
  const seal = secretSeal(key);

  it('opens with the key and the place it was sealed for', () => {
    const sealed = seal.seal(address('x'), VALUE);
    expect(sealed).not.toContain(VALUE);
    expect(seal.unseal(address('x'), sealed)).toBe(VALUE);
  });

  it('never seals alike, so that equal values do not show', () => {
    expect(seal.seal(address('x'), VALUE)).not.toBe(seal.seal(address('x'), VALUE));
  });

  it.each<[string, (sealed: string) => string]>([
    ['another name', (sealed) => seal.unseal(address('y'), sealed)],
    ['another namespace', (sealed) => seal.unseal(address('x', 'b'), sealed)],
    ['another key', (sealed) => secretSeal(randomBytes(32)).unseal(address('x'), sealed)],
    ['a changed byte', (sealed) => seal.unseal(address('x'), withLastByteChanged(sealed))],
    ['less than was sealed', (sealed) => seal.unseal(address('x'), sealed.slice(0, -8))],
    ['next to nothing', (sealed) => seal.unseal(address('x'), sealed.slice(0, 'sealed:v1:'.length + 8))],
  ])('does not open for %s, and says which secret', (_what, open) => {
    expect(() => open(seal.seal(address('x'), VALUE))).toThrow(/the secret .*cannot be decrypted: is this the key/);
  });

  it('leaves other kinds as they are, and refuses a key of the wrong size', () => {
    expect(seal.seal({ ...address('x'), resource: 'configmaps' }, VALUE)).toBe(VALUE);
    expect(() => secretSeal(randomBytes(16))).toThrow('the encryption key has 16 bytes; AES-256 needs 32');
  });
});

describe('Secrets at rest', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.stop());

  /** Starts on what is there, lets `work` use it, and stops. */
  async function serve<T>(
    work: (test: Awaited<ReturnType<typeof startTestServer>>) => Promise<T>,
    encryptionKey = key,
  ) {
    const test = await startTestServer({ store: postgresStore(postgres.connect()), encryptionKey });
    try {
      return await work(test);
    } finally {
      await test.close();
    }
  }

  it('are unreadable in every table and still there for who has the key', async () => {
    const value = Buffer.from(VALUE).toString('base64');
    await serve(async ({ call }) => {
      for (const name of ['one', 'two'])
        await call({
          method: 'POST',
          path: SECRETS,
          body: { metadata: { name }, data: { [`password-${name}`]: value } },
        });
      // The log of changes keeps what was there before as well.
      const patch = { data: { more: Buffer.from('ünïcode 🔑').toString('base64') } };
      await call({ method: 'PATCH', path: `${SECRETS}/one`, type: 'application/merge-patch+json', body: patch });
      await call({ method: 'DELETE', path: `${SECRETS}/two` });
      await call({ method: 'POST', path: SECRETS, body: { metadata: { name: 'two' }, stringData: { b: 'other' } } });
    });
    const { rows } = await postgres.pool.query(
      "SELECT value, NULL AS previous FROM kube_objects WHERE resource = 'secrets' UNION ALL SELECT value, previous_value FROM kube_changes WHERE resource = 'secrets'",
    );
    expect(rows.length).toBeGreaterThanOrEqual(7);
    for (const stored of rows.flatMap((row) => [row.value, row.previous]).filter((text) => text !== null)) {
      expect(stored).toMatch(/^sealed:v1:[A-Za-z0-9+/=]+$/);
      const bytes = Buffer.from(stored.slice('sealed:v1:'.length), 'base64').toString('latin1');
      for (const secret of [VALUE, value, 'password']) expect(stored + bytes).not.toContain(secret);
    }
    const { body } = await serve(({ call }) => call({ method: 'GET', path: `${SECRETS}/one` }));
    expect(body).toMatchObject({ data: { 'password-one': value, more: Buffer.from('ünïcode 🔑').toString('base64') } });
  });

  it('do not open with another key, which harms nothing', async () => {
    const refused = serve(async () => undefined, randomBytes(32));
    await expect(refused).rejects.toThrow('the secret default/one cannot be decrypted');
    expect((await serve(({ call }) => call({ method: 'GET', path: `${SECRETS}/one` }))).status).toBe(200);
  });

  it('do not open in the place of another: swapped rows stop the start', async () => {
    await postgres.pool.query(`
      UPDATE kube_objects o SET value = other.value FROM kube_objects other
      WHERE o.resource = 'secrets' AND other.resource = 'secrets' AND o.name <> other.name`);
    await expect(serve(async () => undefined)).rejects.toThrow(/the secret default\/(one|two) cannot be decrypted/);
  });

  it('are sealed anew with each write, whatever the store keeps them in', async () => {
    const journal = memoryJournal();
    const written: string[] = [];
    const store = new JournaledStore({
      ...journal,
      append: (changes, expected) => {
        written.push(...changes.map(({ value }) => value));
        return journal.append(changes, expected);
      },
    });
    await store.open(secretSeal(key));
    const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x', namespace: 'a', uid: randomUUID() } };
    await store.write(address('x'), () => object);
    await store.write(address('x'), () => ({ ...object, data: { a: 'Yg==' } }));
    await store.close();
    expect(written).toHaveLength(2);
    for (const value of written) expect(value).toMatch(/^sealed:v1:/);
  });
});

function withLastByteChanged(sealed: string): string {
  const bytes = Buffer.from(sealed.slice('sealed:v1:'.length), 'base64');
  bytes[bytes.length - 1]! ^= 1;
  return `sealed:v1:${bytes.toString('base64')}`;
}
