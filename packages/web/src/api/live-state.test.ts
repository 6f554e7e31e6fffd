import { describe, expect, it } from 'vitest';
import { aDeployment } from '../testing/fixtures.ts';
import { mergeAnswer } from './live-state.ts';

const early = '2026-01-01T00:00:00.000Z';
const late = '2026-01-01T00:00:09.000Z';

describe('mergeAnswer', () => {
  it('adds what was just made, in order', () => {
    const state = { deployments: [aDeployment({ name: 'a' }), aDeployment({ name: 'c' })], activity: [] };
    const { deployments } = mergeAnswer(state, aDeployment({ name: 'b' }));
    expect(deployments.map((each) => each.name)).toEqual(['a', 'b', 'c']);
  });

  it('takes an answer that is newer than what the stream said', () => {
    const state = { deployments: [aDeployment({ revision: 1, updatedAt: early })], activity: [] };
    const answer = aDeployment({ revision: 2, phase: 'Updating', updatedAt: late });
    expect(mergeAnswer(state, answer).deployments).toEqual([answer]);
  });

  it('keeps what the stream said when the answer comes late', () => {
    const state = { deployments: [aDeployment({ revision: 2, phase: 'Stopped', updatedAt: late })], activity: [] };
    expect(mergeAnswer(state, aDeployment({ revision: 2, phase: 'Updating', updatedAt: early }))).toBe(state);
    expect(mergeAnswer(state, aDeployment({ revision: 1, updatedAt: late }))).toBe(state);
  });
});
