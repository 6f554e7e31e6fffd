import { describe, expect, it } from 'vitest';
import { expand } from './expansion.ts';

const values: Record<string, string> = { A: 'dsfla83hkh$ksdhc', EMPTY: '', NESTED: '$(A)', '-odd.name': 'odd' };
const lookUp = (name: string) => values[name];

describe('expansion as Kubernetes does it', () => {
  it.each([
    ['$(A)', 'dsfla83hkh$ksdhc'],
    ['$$(A)', '$(A)'],
    ['$$$(A)', '$dsfla83hkh$ksdhc'],
    ['$$$$(A)', '$$(A)'],
    ['a$(A)b$(EMPTY)c', 'adsfla83hkh$ksdhcbc'],
    ['$(NESTED)', '$(A)'],
    ['$(UNKNOWN)', '$(UNKNOWN)'],
    ['$()', '$()'],
    ['$(-odd.name)', 'odd'],
    ['$A', '$A'],
    ['$', '$'],
    ['a$', 'a$'],
    ['$$', '$'],
    ['$(A', '$(A'],
    ['$($(A))', '$($(A))'],
    ['$2a$12$mSNGEiOT7urQP/Xs10XzPur', '$2a$12$mSNGEiOT7urQP/Xs10XzPur'],
    ['', ''],
    ['line\r\n\u{1f600}#=', 'line\r\n\u{1f600}#='],
  ])('%j becomes %j', (text, expected) => {
    expect(expand(text, lookUp)).toBe(expected);
  });
});
