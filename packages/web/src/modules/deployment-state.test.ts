import { describe, expect, it } from 'vitest';
import { aDeployment, aService } from '../testing/fixtures.ts';
import { serviceStateOf, stateFilterOf, stateOf } from './deployment-state.ts';

describe('stateOf', () => {
  it.each([
    [aDeployment({ phase: 'Running' }), 'Running', false],
    [aDeployment({ phase: 'Running', desired: 'stopped' }), 'Stopping', true],
    [aDeployment({ phase: 'Stopped', desired: 'stopped' }), 'Stopped', false],
    [aDeployment({ phase: 'Stopped', desired: 'running' }), 'Starting', true],
    [aDeployment({ phase: 'Failing' }), 'Failing', false],
    [aDeployment({ phase: 'Running', desired: 'deleted' }), 'Deleting', true],
  ])('tells what is asked for from what is', (deployment, words, moving) => {
    expect(stateOf(deployment)).toMatchObject({ words: expect.stringContaining(words), moving });
  });

  it('counts services on the way', () => {
    const services = [aService('a'), aService('b', 'Starting'), aService('c', 'Waiting')];
    expect(stateOf(aDeployment({ phase: 'Updating', services })).words).toBe('Updating 1 of 3');
  });

  it('shows what was asked for before it is answered', () => {
    expect(stateOf(aDeployment(), 'Stopping')).toMatchObject({ words: 'Stopping', moving: true });
  });
});

describe('stateFilterOf', () => {
  it('sorts every deployment into one of four', () => {
    expect(stateFilterOf(aDeployment({ phase: 'Pending' }))).toBe('Changing');
    expect(stateFilterOf(aDeployment({ phase: 'Failing' }))).toBe('Failing');
  });
});

describe('serviceStateOf', () => {
  it('has words for a reason it knows and the state for one it does not', () => {
    expect(serviceStateOf(aService('a', 'Failing', { reason: 'OOMKilled' })).words).toBe('Out of memory');
    expect(serviceStateOf(aService('a', 'Failing', { reason: 'SomethingNew' })).words).toBe('Failing');
  });

  it('says that a probe fails of what should answer by now, not of what starts', () => {
    expect(serviceStateOf(aService('a', 'Starting', { reason: 'ProbeFailing' })).words).toBe('Starting');
    expect(serviceStateOf(aService('a', 'Failing', { reason: 'ProbeFailing' })).words).toBe('Probe failing');
  });
});
