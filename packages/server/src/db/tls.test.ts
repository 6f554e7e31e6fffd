import { describe, expect, it } from 'vitest';
import { databaseAddress, databaseHost } from './tls.ts';

const at = (query: string) => `postgres://berth:s3cret@db.example.com:6432/berth${query}`;

describe('TLS of the database', () => {
  it('is off where nobody asks for it, and the address stays as it is', () => {
    expect(databaseAddress(at(''))).toEqual({ url: at(''), tls: false });
    expect(databaseAddress(at('?sslmode=disable&options=-c%20x'))).toEqual({ url: at('?options=-c+x'), tls: false });
    const socket = 'postgres://berth@/berth?host=%2Frun%2Fberth';
    expect(databaseAddress(socket)).toEqual({ url: socket, tls: false });
  });

  it('encrypts by require, and looks at the authority where one is given', () => {
    expect(databaseAddress(at('?sslmode=require'))).toEqual({ url: at(''), tls: { rejectUnauthorized: false } });
    const { tls } = databaseAddress(at('?sslmode=require'), 'PEM');
    expect(tls).toMatchObject({ ca: 'PEM' });
    expect(tls).not.toHaveProperty('rejectUnauthorized');
  });

  it('looks at the name too by verify-full, and at nothing else by verify-ca', () => {
    expect(databaseAddress(at('?sslmode=verify-full'), 'PEM').tls).toEqual({ ca: 'PEM' });
    expect(databaseAddress(at('?sslmode=verify-full')).tls).toEqual({});
    const { tls } = databaseAddress(at('?sslmode=verify-ca'), 'PEM');
    expect(tls ? tls.checkServerIdentity?.('other', {} as never) : 'none').toBeUndefined();
  });

  it.each([
    ['?sslmode=prefer', undefined, 'sslmode must be one of disable, require, verify-ca, verify-full, not "prefer"'],
    ['?sslmode=verify-ca', undefined, 'sslmode=verify-ca needs the authority in BERTH_DATABASE_CA_FILE'],
    ['?sslmode=disable', 'PEM', 'add "?sslmode=verify-full" to the address'],
    ['?sslmode=verify-full&sslrootcert=/nowhere.crt', undefined, 'sslrootcert names a file that cannot be read'],
  ])('refuses %s in words', (query, authority, words) => {
    expect(() => databaseAddress(at(query), authority)).toThrow(words);
  });

  it('tells of an address only where the database is', () => {
    expect(databaseHost(at('?sslmode=require'))).toBe('db.example.com:6432');
    expect(databaseHost('postgres://berth@/berth?host=%2Frun%2Fberth')).toBe('/run/berth');
    expect(() => databaseHost('postgres://berth:s3cret@:::/x')).toThrow(
      /^(?!.*s3cret)DATABASE_URL: this is no address/,
    );
  });
});
