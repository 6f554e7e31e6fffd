import { describe, expect, it } from 'vitest';
import { isDatabaseUnavailable } from './errors.ts';

describe('a database that does not answer', () => {
  const failure = (code: string) => Object.assign(new Error('it failed'), { code });

  it.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', '57P01', '53300'])(
    'is away and nothing worse by %s',
    (code) => expect(isDatabaseUnavailable(failure(code))).toBe(true),
  );

  it('is there when it says what is wrong', () => {
    expect(isDatabaseUnavailable(failure('23505'))).toBe(false);
    expect(isDatabaseUnavailable(new Error('anything'))).toBe(false);
  });
});
