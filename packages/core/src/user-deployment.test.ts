import { describe, expect, it } from 'vitest';
import { type Condition, type NewCondition, setCondition } from './conditions.ts';
import { userDeploymentDefinition } from './crd.ts';
import { phaseOf, type ServiceStatus } from './user-deployment.ts';

const now = new Date('2026-01-01T00:00:00Z');
const conditions = (...list: [string, NewCondition['status']][]): Condition[] =>
  list.reduce<Condition[]>(
    (all, [type, status]) => setCondition(all, { type, status, reason: 'Test', message: '' }, now),
    [],
  );
const service = (state: ServiceStatus['state'], ready = 0): ServiceStatus => ({
  name: 'web',
  state,
  desired: 1,
  ready,
  restarts: 0,
});
const base = {
  deleting: false,
  desired: 'running' as const,
  wasReady: false,
  conditions: conditions(['Admitted', 'True']),
  services: [],
};

const progressing = conditions(['Admitted', 'True'], ['Ready', 'False']).concat(
  setCondition([], { type: 'Updated', status: 'False', reason: 'Progressing', message: '' }, now),
);

describe('the phase', () => {
  it.each([
    ['Pending before the server admits it', { ...base, conditions: [] }, 'Pending'],
    ['Starting while services come up', { ...base, services: [service('Starting')] }, 'Starting'],
    ['Running when ready', { ...base, conditions: conditions(['Admitted', 'True'], ['Ready', 'True']) }, 'Running'],
    ['Updating when it ran before', { ...base, wasReady: true, services: [service('Starting')] }, 'Updating'],
    ['Failing when a service fails', { ...base, services: [service('Failing')] }, 'Failing'],
    [
      'Updating while a new pod fails beside those that serve',
      { ...base, wasReady: true, conditions: progressing, services: [service('Failing', 1)] },
      'Updating',
    ],
    [
      'Failing when an update has taken a service down',
      { ...base, wasReady: true, conditions: progressing, services: [service('Failing')] },
      'Failing',
    ],
    [
      'Failing when a job of the first start has failed',
      { ...base, services: [service('Waiting')], jobs: [{ name: 'migrate', state: 'Failed' as const }] },
      'Failing',
    ],
    ['Failing when the plan refuses it', { ...base, conditions: conditions(['Admitted', 'False']) }, 'Failing'],
    [
      'Stopped when no pod is left',
      { ...base, desired: 'stopped' as const, services: [service('Stopped')] },
      'Stopped',
    ],
    [
      'Updating while pods still stop',
      { ...base, desired: 'stopped' as const, services: [service('Running', 1)] },
      'Updating',
    ],
    ['Deleting above all', { ...base, deleting: true }, 'Deleting'],
  ])('is %s', (_, input, phase) => expect(phaseOf(input)).toBe(phase));
});

describe('the CustomResourceDefinition', () => {
  it('is structural: no keyword that a Kubernetes API server refuses', () => {
    const text = JSON.stringify(userDeploymentDefinition());
    for (const keyword of [
      '$schema',
      '$ref',
      'exclusiveMinimum',
      '"const"',
      '"allOf"',
      '"additionalProperties":false',
      'propertyNames',
    ]) {
      expect(text).not.toContain(keyword);
    }
  });
});
