import { describe, expect, it } from 'vitest';
import { BerthError } from './errors.ts';
import { readYaml, type SchemaShape } from './yaml.ts';

const shape: SchemaShape = {
  type: 'object',
  properties: {
    port: { type: 'integer' },
    on: { type: 'boolean' },
    list: { type: 'array', items: { type: 'string' } },
  },
  additionalProperties: { type: 'string' },
};
const read = (text: string) => readYaml(text, shape, 'The file').value;
const failure = (text: string): string => {
  try {
    read(text);
  } catch (error) {
    if (error instanceof BerthError) return error.message;
    throw error;
  }
  return 'accepted';
};

describe('the YAML reader', () => {
  it('keeps strings as they were written (field case 6)', () => {
    expect(
      read('a: yes\nb: NO\nc: 0o14\nd: 1e3\ne: 1.10\nf: ~\ng: 2026-01-01\nlist: [on, 010]\nport: 80\non: true'),
    ).toEqual({
      a: 'yes',
      b: 'NO',
      c: '0o14',
      d: '1e3',
      e: '1.10',
      f: '~',
      g: '2026-01-01',
      list: ['on', '010'],
      port: 80,
      on: true,
    });
  });

  it('refuses duplicate keys, two merges, several documents and tabs with the line (field case 6)', () => {
    expect(failure('a: 1\nb: 2\na: 3')).toContain('line 3');
    expect(failure('x: &x {a: b}\ny:\n  <<: *x\n  <<: *x')).toContain('line 4');
    expect(failure('a: 1\n---\nb: 2')).toContain('line 2');
    expect(failure('a:\n\tb: 1')).toContain('line 2');
    expect(failure('')).toContain('empty');
  });

  it('bounds aliases and size', () => {
    const bomb = `a: &a [x]\n${Array.from({ length: 200 }, (_, index) => `b${index}: *a`).join('\n')}`;
    expect(failure(bomb)).toContain('aliases');
    expect(failure(`a: ${'x'.repeat(1_100_000)}`)).toContain('larger');
    expect(failure(`a: &a [*a]`)).not.toBe('accepted');
  });

  it('answers at once to a text that was made to keep it busy', () => {
    const started = performance.now();
    const keys = Array.from({ length: 20_000 }, (_, index) => `key${index}: 1`).join('\n');
    expect(failure(keys)).toBe('accepted');
    expect(failure(`${keys}\nkey7: 2`)).toContain('line 20001: the key "key7" is there twice');
    expect(failure(`a: &a [${'1,'.repeat(20_000)}]\nb: [${'*a,'.repeat(60)}]`)).toContain('values');
    expect(failure(`a: "${'\\x'.repeat(20_000)}"`).length).toBeLessThan(5_000);
    expect(failure('\t- :\n'.repeat(20_000)).length).toBeLessThan(5_000);
    expect(failure(`a: ${'['.repeat(20_000)}${']'.repeat(20_000)}`)).toContain('nested');
    expect(failure('{a: '.repeat(20_000))).toContain('nested');
    expect(failure('- '.repeat(20_000))).toContain('nested');
    expect(performance.now() - started).toBeLessThan(20_000);
  }, 30_000);

  it('refuses text that no database holds', () => {
    expect(failure('a: b\nc: "\\uD800"')).toContain('line 2: is not valid Unicode');
    expect(read('a: "\\uD83D\\uDE00"')).toEqual({ a: '😀' });
  });

  it('treats __proto__ as data', () => {
    const value = read('__proto__: polluted') as Record<string, unknown>;
    expect(Object.hasOwn(value, '__proto__')).toBe(true);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});
