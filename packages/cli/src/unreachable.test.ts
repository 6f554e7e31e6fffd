import { describe, expect, it } from 'vitest';
import { whyUnreachable } from './unreachable.ts';

describe('what is said of an address where nothing answers', () => {
  const thrown = (code: string) =>
    new TypeError('fetch failed', { cause: Object.assign(new Error(`what happened: ${code}`), { code }) });

  it.each([
    ['ENOTFOUND', 'check the address and its DNS record'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'NODE_EXTRA_CA_CERTS'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'for another name'],
  ])('names the way out of %s', (code, remedy) => {
    expect(whyUnreachable(thrown(code))).toEqual({
      cause: `what happened: ${code}`,
      remedy: expect.stringContaining(remedy),
    });
  });

  it('leaves the way out to who asked, where nothing says it', () => {
    expect(whyUnreachable(thrown('ECONNREFUSED')).remedy).toBeUndefined();
    expect(whyUnreachable(new Error('odd'))).toEqual({ cause: 'Error: odd', remedy: undefined });
  });
});
