import { BerthError } from '@berth/core/errors';
import type { Parameter } from '@berth/core/parameter';
import { describe, expect, it } from 'vitest';
import { refuseSlowPatterns } from './slow-patterns.ts';

const asked = (pattern: string): Parameter => ({ name: 'text', label: 'Text', type: 'text', pattern });
const text = `${'a'.repeat(60)}!`;

describe('patterns of templates', () => {
  it('that would take hours are refused at once, by the name of their field', () => {
    const started = performance.now();
    for (const pattern of ['(a+)+', '(a|a)*b', '(?:a|aa)+$']) {
      expect(() => refuseSlowPatterns([asked(pattern)], { text })).toThrow(BerthError);
      expect(() => refuseSlowPatterns([asked(pattern)], { text })).toThrow(/values\.text.*too long/);
    }
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it('that are quick are left to the schema, whether they match or not', () => {
    expect(() => refuseSlowPatterns([asked('[a-z]+')], { text })).not.toThrow();
    expect(() => refuseSlowPatterns([asked('[a-z!]+')], { text })).not.toThrow();
    expect(() => refuseSlowPatterns([asked('[a-z]+')], { text: 7 })).not.toThrow();
  });
});
