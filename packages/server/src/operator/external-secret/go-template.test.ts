import { describe, expect, it } from 'vitest';
import { parseDuration } from './go-duration.ts';
import { escapeData, expandTemplate } from './go-template.ts';

const data = { remoteRef: { key: 'shop/a b+c' }, delivery: { token: 't$1{{x}}' } };

describe('a template', () => {
  it('takes values by path, as they are, once', () => {
    expect(expandTemplate('Bearer {{ .delivery.token }}/{{.remoteRef.key}}', data)).toBe('Bearer t$1{{x}}/shop/a b+c');
  });

  it('has them escaped in a URL as Go does', () => {
    expect(expandTemplate('{{ .remoteRef.key }}', escapeData(data))).toBe('shop%2Fa+b%2Bc');
    expect(escapeData({ a: { b: "é(')*!~" } })).toEqual({ a: { b: '%C3%A9%28%27%29%2A%21~' } });
  });

  it('refuses by name what it does not know', () => {
    expect(() => expandTemplate('{{ .remoteRef.key | upper }}', data)).toThrow(
      '"{{ .remoteRef.key | upper }}" is not known here; known: .remoteRef.key, .delivery.token',
    );
    expect(() => expandTemplate('{{ .delivery.password }}', data)).toThrow('is not known');
    expect(() => expandTemplate('{{ .constructor.name }}', data)).toThrow('is not known');
  });
});

it.each([
  ['1h', 3_600_000],
  ['1h30m', 5_400_000],
  ['1.5s', 1_500],
  ['0', 0],
  ['250ms', 250],
  ['', undefined],
  ['soon', undefined],
  ['-1s', undefined],
])('a Go duration: %s', (text, expected) => expect(parseDuration(text)).toBe(expected));
