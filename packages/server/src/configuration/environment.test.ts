import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  booleanText,
  databaseUrlText,
  portText,
  readSettings,
  requiredText,
  SettingsError,
  secretVariable,
  variable,
} from './environment.ts';

const VARIABLES = {
  port: variable('PORT', portText),
  domain: variable('DOMAIN', z.string().default('localhost')),
  strict: variable('STRICT', booleanText),
  key: secretVariable('KEY', requiredText),
};

function read(environment: Record<string, string>, files: Record<string, string> = {}) {
  const readFile = (path: string): string => {
    const text = files[path];
    if (text === undefined) throw new Error(`no such file: ${path}`);
    return text;
  };
  return readSettings('The server', VARIABLES, { environment, readFile });
}

describe('settings', () => {
  it('are parsed, completed and frozen', () => {
    const settings = read({ PORT: '7400', KEY: 'abc' });
    expect(settings).toEqual({ port: 7400, domain: 'localhost', strict: false, key: 'abc' });
    expect(Object.isFrozen(settings)).toBe(true);
  });

  it('name every bad variable at once', () => {
    const attempt = () => read({ PORT: '70000', STRICT: 'yes' });
    expect(attempt).toThrow(SettingsError);
    expect(attempt).toThrow(
      'The server cannot start:\n  PORT must be a port between 1 and 65535\n  STRICT must be true or false\n  KEY is required',
    );
  });

  it('take a secret from a file, without its last line end', () => {
    expect(read({ PORT: '1', KEY_FILE: '/keys/a' }, { '/keys/a': ' b\n\n' }).key).toBe(' b\n');
  });

  it('refuse a secret that is given twice, or a file that is not there', () => {
    expect(() => read({ PORT: '1', KEY: 'a', KEY_FILE: '/a' }, { '/a': 'b' })).toThrow('both set');
    expect(() => read({ PORT: '1', KEY_FILE: '/a' })).toThrow('KEY_FILE names a file that cannot be read');
  });

  it('count an empty variable as absent', () => {
    expect(() => read({ PORT: '', KEY: 'a' })).toThrow('PORT is required');
  });

  it('want a PostgreSQL address for a database', () => {
    expect(databaseUrlText.safeParse('mysql://x').error?.issues[0]?.message).toBe('must be a postgres:// address');
  });
});
