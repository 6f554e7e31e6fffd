import type { UserDeploymentSpec } from '@berth/core/user-deployment';
import { describe, expect, it } from 'vitest';
import { changeSummary } from './change-summary.ts';
import type { RevisionState } from './revision-changes.ts';

const spec = (changes: Partial<UserDeploymentSpec> = {}): UserDeploymentSpec => ({
  template: { name: 't', version: '1.0.0' },
  services: [{ name: 'web', image: 'a' }],
  ...changes,
});
const state = (changes: Partial<RevisionState> = {}): RevisionState => ({ spec: spec(), values: {}, ...changes });

describe('the summary of a change', () => {
  it.each<[string, Partial<RevisionState>, Partial<RevisionState>, string[]]>([
    ['title changed', { values: { title: 'a' } }, { values: { title: 'b' } }, []],
    ['size, title and password changed', { values: { title: 'a' } }, { values: { size: 1 } }, ['password']],
    ['display name changed', {}, { displayName: 'X' }, []],
    ['address b.test', { host: 'a.test' }, { host: 'b.test' }, []],
    ['address given up', { host: 'a.test' }, {}, []],
    ['version 1.1.0', {}, { spec: spec({ template: { name: 't', version: '1.1.0' } }) }, []],
    ['image of web changed', {}, { spec: spec({ services: [{ name: 'web', image: 'b' }] }) }, []],
    ['service db added, service web removed', {}, { spec: spec({ services: [{ name: 'db', image: 'b' }] }) }, []],
    ['stopped', {}, { spec: spec({ desired: 'stopped' }) }, []],
    ['resumed', { spec: spec({ paused: true }) }, {}, []],
    ['web scaled to 3', {}, { spec: spec({ services: [{ name: 'web', image: 'a', replicas: 3 }] }) }, []],
    ['settings changed', {}, {}, []],
  ])('%s', (summary, before, after, changedSecrets) => {
    const words = (text: string) => text.split(/, | and /).sort();
    const made = changeSummary({ before: state(before), after: state(after), changedSecrets });
    expect(words(made)).toEqual(words(summary));
  });

  it('names a few and counts the rest', () => {
    const values = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`v${index}`, index]));
    expect(changeSummary({ before: state(), after: state({ values }), changedSecrets: [] })).toBe(
      'v0, v1, v2, v3, v4 and 4 more changed',
    );
  });
});
