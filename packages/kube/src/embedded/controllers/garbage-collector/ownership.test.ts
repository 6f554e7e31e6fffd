import { describe, expect, it } from 'vitest';
import type { KubeObject, OwnerReference } from '../../../schema/object.ts';
import { judge, type OwnerState } from './ownership.ts';

const object = (metadata: Partial<KubeObject['metadata']> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', ...metadata },
});
const owner = (state: OwnerState, change: Partial<OwnerReference> = {}) => ({
  reference: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'set', uid: state, ...change },
  state,
});

describe('an object', () => {
  it.each([
    ['without owners stays', [], { action: 'keep' }],
    ['with a living owner stays', [owner('alive')], { action: 'keep' }],
    ['whose owners are gone goes', [owner('absent')], { action: 'delete', propagationPolicy: 'Background' }],
    [
      'with one living owner loses the reference to the other',
      [owner('alive'), owner('absent')],
      { action: 'drop references', uids: ['absent'] },
    ],
    [
      'that its owner waits for goes with its own dependents first',
      [owner('deleting in foreground', { blockOwnerDeletion: true })],
      { action: 'delete', propagationPolicy: 'Foreground' },
    ],
    [
      'that holds nothing back goes in the background',
      [owner('deleting in foreground')],
      { action: 'delete', propagationPolicy: 'Background' },
    ],
  ])('%s', (_name, owners, verdict) => {
    expect(judge(object(), owners)).toEqual(verdict);
  });

  it('that is going already is left to itself', () => {
    expect(judge(object({ deletionTimestamp: '2026-01-01T00:00:00Z' }), [owner('absent')])).toEqual({ action: 'keep' });
  });

  it('keeps the policy it carries', () => {
    expect(judge(object({ finalizers: ['orphan'] }), [owner('absent')])).toEqual({
      action: 'delete',
      propagationPolicy: 'Orphan',
    });
  });
});
