import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJsonBody } from './json-body.ts';
import { jsonErrorOffset } from './json-error-offset.ts';

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('a JSON body', () => {
  it('comes out as it went in', () => {
    fc.assert(
      fc.property(fc.jsonValue({ depthSize: 'small' }), (value) => {
        const text = JSON.stringify(value);
        if (text.includes('__proto__') || /\\ud[89a-f]/i.test(text)) return;
        expect(parseJsonBody(Buffer.from(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('that is cut short is wrong where it ends', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { minLength: 1 }), fc.nat(), (value, seed) => {
        const text = JSON.stringify(value);
        const cut = text.slice(0, seed % text.length);
        const offset = jsonErrorOffset(cut);
        // Inside a string, number or word the token that began is what is wrong.
        expect(cut.slice(offset)).toMatch(/^(["\-tfn.eE\d]|$)/);
      }),
    );
  });

  it('is said to be whole when JSON.parse takes it', () => {
    const fragment = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '1',
      '-',
      '01',
      'true',
      'nul',
      ' ',
      '\n',
      '"\\x"',
      '1e5',
      '1.',
    );
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 7 }), (fragments) => {
        const text = fragments.join('');
        if (isJson(text)) expect(jsonErrorOffset(text)).toBe(text.length);
      }),
      { numRuns: 2000 },
    );
  });
});
