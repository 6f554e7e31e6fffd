import { describe, expect, it } from 'vitest';
import { aDeployment, someRevisions } from '../testing/fixtures.ts';
import { authorOf, mayRollBackTo, outcomeOf } from './revision-words.ts';

const [revision] = someRevisions();
if (!revision) throw new Error('the fixtures have no revision');
const running = aDeployment();

describe('outcomeOf', () => {
  it.each([
    ['running', { current: true, serving: true }, {}, 'Running'],
    ['running', { current: false, serving: true }, {}, 'Running'],
    ['running', { current: false, serving: false }, {}, 'Ran'],
    ['running', { current: true, serving: true }, { desired: 'stopped' }, 'Ran'],
    ['pending', { current: true, serving: false }, {}, 'Rolling out'],
    ['pending', { current: true, serving: false }, { paused: true }, 'Waits'],
    ['pending', { current: true, serving: false }, { desired: 'stopped' }, 'Waits for a start'],
    ['pending', { current: false, serving: false }, {}, 'Replaced'],
    ['failed', { current: true, serving: false }, {}, 'Failed'],
    ['replaced', { current: false, serving: false }, {}, 'Replaced'],
  ] as const)('%s, %o of %o is "%s"', (outcome, marks, more, words) => {
    expect(outcomeOf({ ...revision, outcome, ...marks }, { ...running, ...more }).words).toBe(words);
  });
});

describe('authorOf', () => {
  it.each([
    ['dev@localhost', 'person', 'you'],
    ['second@example.com', 'person', 'second@example.com'],
    ['kubectl-client-side-apply', 'program', 'kubectl apply'],
    ['kubectl-edit', 'program', 'kubectl edit'],
    ['kubectl', 'program', 'kubectl'],
    ['argocd-controller', 'program', 'argocd-controller'],
  ])('%s is a %s: %s', (by, kind, words) => {
    expect(authorOf(by, 'dev@localhost')).toEqual({ kind, words });
  });
});

describe('mayRollBackTo', () => {
  it('offers what ran before, and neither what is wanted nor what failed', () => {
    const old = { ...revision, current: false, serving: false };
    expect(mayRollBackTo(old, running)).toBe(true);
    expect(mayRollBackTo({ ...old, current: true }, running)).toBe(false);
    expect(mayRollBackTo({ ...old, outcome: 'failed' }, running)).toBe(false);
    expect(mayRollBackTo(old, { ...running, permissions: ['deployment:read'] })).toBe(false);
  });
});
