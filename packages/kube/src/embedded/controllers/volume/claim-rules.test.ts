import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../schema/kinds/pod.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../schema/kinds/storage.ts';
import { claimProblem, usersOf, volumePhase } from './claim-rules.ts';

const claim = (spec: PersistentVolumeClaim['spec'] = {}, uid = 'u1'): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'data', namespace: 'shop', uid },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
});
const volume = (uid?: string): PersistentVolume => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'v' },
  spec: { claimRef: { namespace: 'shop', name: 'data', ...(uid ? { uid } : {}) } },
});

describe('a claim', () => {
  it('for one writer with a size is served', () => expect(claimProblem(claim())).toBeUndefined());
  it.each([
    ['for many writers', { accessModes: ['ReadWriteMany'] }, /ReadWriteMany.*use ReadWriteOnce/],
    ['for a block device', { volumeMode: 'Block' }, /Filesystem/],
    ['without a size', { resources: {} }, /storage must be a size/],
  ])('%s is refused with the way out', (_name, spec, message) => {
    expect(claimProblem(claim(spec))).toMatch(message);
  });

  it('is in use while a pod that names it is not finished', () => {
    const pod = (phase: 'Running' | 'Succeeded'): Pod => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: phase },
      spec: { containers: [], volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] },
      status: { phase },
    });
    expect(usersOf(claim(), [pod('Running'), pod('Succeeded')]).map(({ metadata }) => metadata.name)).toEqual([
      'Running',
    ]);
  });
});

describe('a volume', () => {
  it('is released when its claim is gone, and when another has taken its name', () => {
    expect(volumePhase(volume('u1'), claim())).toBe('Bound');
    expect(volumePhase(volume('u1'), undefined)).toBe('Released');
    expect(volumePhase(volume('u1'), claim({}, 'u2'))).toBe('Released');
  });
});
