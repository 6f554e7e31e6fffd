import { describe, expect, it } from 'vitest';
import { BerthError } from './errors.ts';
import { normaliseHost } from './host.ts';

const rules = { domain: 'apps.example.com', reserved: ['berth.example.com'] };
const verdict = (input: string): string => {
  try {
    return normaliseHost(input, rules);
  } catch (error) {
    if (error instanceof BerthError) return `refused: ${error.details.fields?.[0]?.path}`;
    throw error;
  }
};

describe('a public host', () => {
  it.each([
    ['shop', 'shop.apps.example.com'],
    ['SHOP.Example.com.', 'shop.example.com'],
    ['bücher.example.com', 'xn--bcher-kva.example.com'],
  ])('%s is claimed as %s', (input, host) => expect(verdict(input)).toBe(host));

  it.each([
    '*.example.com',
    'berth.example.com',
    'apps.example.com',
    'a b',
    'a/b',
    'user@host.com',
    '10.0.0.1',
    '',
    `${'a'.repeat(64)}.example.com`,
    'x:80',
    '-a.example.com',
  ])('%s is refused at the field', (input) => expect(verdict(input)).toBe('refused: host'));
});
