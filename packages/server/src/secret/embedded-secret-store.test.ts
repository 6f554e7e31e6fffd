import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../clock.ts';
import { createTestDatabase, type TestDatabase } from '../testing/postgres.ts';
import { createTenant, type TestTenant } from '../testing/tenants.ts';
import { createEmbeddedSecretStore } from './embedded-secret-store.ts';
import { type MasterKey, masterKeys } from './master-keys.ts';

let database: TestDatabase;
let tenant: TestTenant;
beforeAll(async () => {
  database = await createTestDatabase();
  tenant = await createTenant(database);
});
afterAll(() => database.close());

const newKey = (id: string): MasterKey => ({ id, key: randomBytes(32) });
const storeWith = (current: MasterKey, previous: MasterKey[] = []) =>
  createEmbeddedSecretStore({ keys: masterKeys(current, previous), clock: systemClock });
const at = (key: string, path = 'deployment') => ({ teamId: tenant.teamId, path, key });

/** What people met in the field, and what encodings trip over. */
const VALUES = {
  'a bcrypt hash': '$2a$12$mSNGEiOT7urQP/Xs10XzPur',
  'dollars in the middle': 'dsfla83hkh$ksdhc',
  'an expansion': '$(A)',
  'an escaped expansion': '$$(A)',
  'a key with newlines': '-----BEGIN KEY-----\nabc\n-----END KEY-----\n',
  'a key on one line': String.raw`-----BEGIN KEY-----\nabc\n`,
  spaces: 'My String',
  'quotes and stars': `array:'self',blob:,https://*`,
  'a trailing newline': 'x\n',
  'carriage returns': 'a\r\nb\r\n',
  emoji: '🦭 naïve 日本',
  'a hash': '# not a comment',
  'a leading equals sign': '=x',
  'a NUL byte': 'a\0b',
  'a byte order mark': '\uFEFFx',
  nothing: '',
};

describe('the encrypted store', () => {
  it.each(Object.entries(VALUES))('cases 1 and 2: gives back %s byte for byte', async (_name, value) => {
    const store = storeWith(newKey('k'));
    await store.put(database, at('value'), value);
    expect(await store.get(database, at('value'))).toBe(value);
  });

  it('counts versions, lists names and removes', async () => {
    const store = storeWith(newKey('k'));
    expect(await store.put(database, at('b', 'list'), '1')).toBe(1);
    expect(await store.put(database, at('b', 'list'), '2')).toBe(2);
    await store.put(database, at('a', 'list'), '3');
    expect(await store.list(database, at('', 'list'))).toEqual(['a', 'b']);
    await store.remove(database, at('', 'list'), 'a');
    await store.remove(database, at('', 'list'), 'never-there');
    expect(await store.list(database, at('', 'list'))).toEqual(['b']);
    await store.remove(database, at('', 'list'));
    expect(await store.get(database, at('b', 'list'))).toBeUndefined();
  });

  it('belongs to the transaction: what is rolled back was never there', async () => {
    const store = storeWith(newKey('k'));
    const failing = database.transaction(async (transaction) => {
      await store.put(transaction, at('gone', 'rollback'), 'x');
      throw new Error('after the put');
    });
    await expect(failing).rejects.toThrow('after the put');
    expect(await store.list(database, at('', 'rollback'))).toEqual([]);
  });

  it('keeps no value in plain text', async () => {
    await storeWith(newKey('k')).put(database, at('plain', 'plain'), 'find-me-if-you-can');
    const [row] = await database.query<{ text: string }>(
      "select string_agg(encode(ciphertext, 'escape') || encode(wrapped_key, 'escape'), '') as text from secrets",
    );
    expect(row?.text).not.toContain('find-me');
  });

  it('opens no value that was copied to another row, or put back from before', async () => {
    const store = storeWith(newKey('k'));
    await store.put(database, at('one', 'swap'), 'first');
    await store.put(database, at('two', 'swap'), 'second');
    await database.execute(
      `update secrets set (ciphertext, wrapped_key) = (select ciphertext, wrapped_key from secrets where path = 'swap' and key = 'one')
       where path = 'swap' and key = 'two'`,
    );
    await expect(store.get(database, at('two', 'swap'))).rejects.toThrow('does not open');
    await store.put(database, at('one', 'swap'), 'newer');
    await database.execute("update secrets set version = 1 where path = 'swap' and key = 'one'");
    await expect(store.get(database, at('one', 'swap'))).rejects.toThrow('does not open');
  });

  it('reads what an older master key wrapped, and writes with the newer', async () => {
    const [older, newer] = [newKey('2025'), newKey('2026')];
    await storeWith(older).put(database, at('old', 'rotate'), 'kept');
    const rotated = storeWith(newer, [older]);
    expect(await rotated.get(database, at('old', 'rotate'))).toBe('kept');
    await rotated.put(database, at('new', 'rotate'), 'fresh');
    expect(await storeWith(newer).get(database, at('new', 'rotate'))).toBe('fresh');
    await expect(storeWith(newer).get(database, at('old', 'rotate'))).rejects.toThrow('"2025"');
  });

  it('refuses keys that no Secret could have', async () => {
    const store = storeWith(newKey('k'));
    for (const key of ['', 'a b', 'a=b', 'a/b', 'ü']) {
      await expect(store.put(database, at(key, 'keys'), 'x')).rejects.toMatchObject({ code: 'invalid_input' });
    }
    for (const key of ['TEST-SECRET', 'spring.datasource.url', '1bad', 'good_key']) {
      await store.put(database, at(key, 'keys'), key);
      expect(await store.get(database, at(key, 'keys'))).toBe(key);
    }
  });

  it('refuses text that has no bytes', async () => {
    await expect(storeWith(newKey('k')).put(database, at('x'), '\ud800')).rejects.toThrow('Unicode');
  });
});

describe('master keys', () => {
  it('are checked at start', () => {
    expect(() => masterKeys({ id: 'a', key: randomBytes(16) })).toThrow('must have 32');
    expect(() => masterKeys({ id: 'a b', key: randomBytes(32) })).toThrow('no id');
    expect(() => masterKeys(newKey('a'), [newKey('a')])).toThrow('same id');
  });
});
