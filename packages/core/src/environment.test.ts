import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { environmentNameSchema, environmentValueProblem, escapeExpansion, shellCannotRead } from './environment.ts';

describe('environment variables', () => {
  it('refuse by name what a target refuses and warn of what a shell cannot read (field case 3)', () => {
    const verdict = (name: string) =>
      environmentNameSchema.safeParse(name).success ? (shellCannotRead(name) ? 'warn' : 'fine') : 'refused';
    expect(['TEST-SECRET', 'spring.datasource.url', '1bad', 'a=b', '', 'good_key'].map(verdict)).toEqual([
      'warn',
      'warn',
      'refused',
      'refused',
      'refused',
      'fine',
    ]);
  });

  it('refuse bytes that no process can receive and offer a file', () => {
    expect(environmentValueProblem('a\0b')).toContain('file');
    expect(environmentValueProblem('\ud800')).toContain('file');
    expect(environmentValueProblem('x'.repeat(200_000))).toContain('file');
    expect(environmentValueProblem('line one\r\nline two\n#=🙂')).toBeUndefined();
  });

  it('escape so that Kubernetes expands to the same bytes (field case 1)', () => {
    expect(escapeExpansion('$(B) and $$(A)')).toBe('$$(B) and $$$$(A)');
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('$', '(', ')', 'A', 'é') }), (text) => {
        expect(expand(escapeExpansion(text), { A: 'wrong' })).toBe(text);
      }),
    );
  });
});

/** The expansion as Kubernetes documents it: `$(NAME)` when known, `$$` is one `$`. */
function expand(text: string, variables: Record<string, string>): string {
  return text.replace(/\$\$|\$\(([^)]*)\)/g, (whole, name: string | undefined) =>
    name === undefined ? '$' : (variables[name] ?? whole),
  );
}
