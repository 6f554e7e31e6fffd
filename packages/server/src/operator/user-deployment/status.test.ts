import { findCondition } from '@berth/core/conditions';
import type { KubeObject } from '@berth/kube/schema/object';
import { describe, expect, it } from 'vitest';
import type { UserDeployment } from '../../kubernetes/user-deployment.ts';
import type { Pod } from '../kinds.ts';
import {
  AT,
  admittedStatus,
  guestbookSpec,
  service,
  situation,
  spec,
  standing,
  userDeployment,
} from '../testing/fixtures.ts';
import { decide } from './decide.ts';
import type { Refusal } from './service-state.ts';
import type { Situation } from './situation.ts';
import { deletingStatus, isWritten, type OwnStatus, statusOf } from './status.ts';
import { happenings } from './transitions.ts';

const URL_OPTIONS = { publicScheme: 'http', publicPort: 8080 } as const;

function status(given: Situation, refusals: Refusal[] = []): OwnStatus {
  return statusOf({ situation: given, decision: decide(given), refusals }, URL_OPTIONS);
}

const settled = (object: KubeObject): KubeObject =>
  object.kind === 'Deployment'
    ? {
        ...object,
        metadata: { ...object.metadata, generation: 1 },
        status: { observedGeneration: 1, replicas: 1, updatedReplicas: 1, readyReplicas: 1 },
      }
    : object;

function running(resource: UserDeployment, change = settled): Situation {
  return situation({
    userDeployment: resource,
    present: standing(situation({ userDeployment: resource }).children, change),
  });
}

const crashing: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web-1' },
  status: {
    containerStatuses: [
      {
        name: 'web',
        restartCount: 2,
        state: { waiting: { reason: 'CrashLoopBackOff' } },
        lastState: { terminated: { exitCode: 1 } },
      },
    ],
  },
};

describe('the status', () => {
  it('is Pending until the platform admits it', () => {
    const own = status(situation({ userDeployment: userDeployment({ status: {} }) }));
    expect(own.phase).toBe('Pending');
    expect(own.services).toMatchObject([{ name: 'web', state: 'Waiting', reason: 'NotAdmittedYet' }]);
  });

  it('is Starting while the pods come', () => {
    const own = status(running(userDeployment(), (object) => object));
    expect(own.phase).toBe('Starting');
    expect(own.services).toEqual([
      {
        name: 'web',
        state: 'Starting',
        reason: 'PodsStarting',
        message: '0 of 1 pod is ready.',
        desired: 1,
        ready: 0,
        restarts: 0,
      },
    ]);
  });

  it('is Running with an address once all is ready and routed', () => {
    const wanted = spec({ exposure: [{ host: 'shop.localhost', service: 'web', port: 'http' }] });
    const own = status(running(userDeployment({ spec: wanted })));
    expect(own).toMatchObject({ phase: 'Running', url: 'http://shop.localhost:8080', observedGeneration: 1 });
    expect(own.conditions!.map(({ type, status: value }) => [type, value])).toEqual([
      ['Valid', 'True'],
      ['SecretsDelivered', 'True'],
      ['ServicesReady', 'True'],
      ['Routed', 'True'],
      ['Ready', 'True'],
    ]);
  });

  it('is not Ready while its host is not granted', () => {
    const wanted = spec({ exposure: [{ host: 'shop.localhost', service: 'web', port: 'http' }] });
    const own = status(running(userDeployment({ spec: wanted, status: admittedStatus([]) })));
    expect(findCondition(own.conditions, 'Ready')).toMatchObject({ status: 'False', reason: 'HostNotGrantedYet' });
    expect(own.url).toBeUndefined();
  });

  it('is Failing with the exit code when a program crashes', () => {
    const given = { ...running(userDeployment(), (object) => object), pods: new Map([['web', [crashing]]]) };
    const own = status(given);
    expect(own.phase).toBe('Failing');
    expect(own.services).toMatchObject([{ state: 'Failing', reason: 'CrashLoop', restarts: 2 }]);
    expect(findCondition(own.conditions, 'Ready')?.message).toContain('exit code 1');
  });

  it('is Failing with the words of the API server when it refuses an object', () => {
    const refusal = { service: 'web', kind: 'PersistentVolumeClaim', name: 'shop-web-data', message: 'exceeded quota' };
    const own = status(situation({ userDeployment: userDeployment() }), [refusal]);
    expect(own.services).toMatchObject([
      { state: 'Failing', message: 'Kubernetes refuses PersistentVolumeClaim shop-web-data: exceeded quota.' },
    ]);
  });

  it('is Failing with the quota when pods are refused', () => {
    const refused = (object: KubeObject): KubeObject => ({
      ...object,
      status: { conditions: [{ type: 'ReplicaFailure', status: 'True', message: 'exceeded quota: berth-plan' }] },
    });
    expect(status(running(userDeployment(), refused)).services).toMatchObject([
      { state: 'Failing', reason: 'PodsRefused', message: 'Kubernetes refuses the pods: exceeded quota: berth-plan.' },
    ]);
  });

  it('names the missing keys while secrets are not delivered', () => {
    const own = status(situation({ userDeployment: userDeployment({ spec: guestbookSpec() }) }));
    expect(findCondition(own.conditions, 'SecretsDelivered')).toMatchObject({
      status: 'False',
      reason: 'SecretsMissing',
      message: 'database waits for secret password',
    });
    expect(own.services!.map(({ name, state }) => [name, state])).toEqual([
      ['web', 'Waiting'],
      ['database', 'Waiting'],
    ]);
  });

  it('is Stopped when it is meant to be and no pod is left', () => {
    const stopped = userDeployment({ spec: spec({ desired: 'stopped' }) });
    expect(status(situation({ userDeployment: stopped }))).toMatchObject({
      phase: 'Stopped',
      services: [{ state: 'Stopped' }],
    });
    const ending = situation({ userDeployment: stopped, pods: new Map([['web', [crashing]]]) });
    expect(status(ending)).toMatchObject({ phase: 'Updating', services: [{ state: 'Waiting', reason: 'Stopping' }] });
  });

  it('keeps what was said of the services when the spec cannot be read', () => {
    const before = status(running(userDeployment()));
    const wrong = userDeployment({
      spec: spec({ services: [service(), service()] }),
      status: { ...admittedStatus(), ...before },
    });
    const own = status(situation({ userDeployment: wrong }));
    expect(own.services).toEqual(before.services);
    expect(findCondition(own.conditions, 'Valid')).toMatchObject({ status: 'False', reason: 'InvalidSpec' });
  });

  it('is Updating when it was ready since its start, Starting otherwise', () => {
    const before = status(running(userDeployment()));
    const again = userDeployment({
      status: { ...admittedStatus(), ...before, conditions: [...admittedStatus().conditions!, ...before.conditions!] },
    });
    expect(status(running(again, (object) => object)).phase).toBe('Updating');
  });

  it('is the same for the same situation, however the server orders it, and so is written once', () => {
    const own = status(situation({ userDeployment: userDeployment({ spec: guestbookSpec() }) }));
    const stored = {
      ...own,
      services: [...own.services!].reverse(),
      conditions: [...admittedStatus().conditions!, ...[...own.conditions!].reverse()],
    };
    expect(isWritten(stored, own)).toBe(true);
    const later = situation({
      userDeployment: userDeployment({
        spec: guestbookSpec(),
        status: { ...admittedStatus(['shop.localhost']), ...stored },
      }),
      now: AT + 60_000,
    });
    expect(isWritten(stored, status(later))).toBe(true);
    expect(isWritten({ ...stored, phase: 'Running' }, own)).toBe(false);
  });

  it('says what blocks a deletion', () => {
    const own = deletingStatus(userDeployment(), ['Pod web-1 (waits for example.com/backup)'], AT);
    expect(own.phase).toBe('Deleting');
    expect(findCondition(own.conditions, 'Ready')?.message).toBe(
      'waits until these are gone: Pod web-1 (waits for example.com/backup)',
    );
  });
});

describe('events', () => {
  it('tell of a first run and of nothing when nothing changes', () => {
    const own = status(running(userDeployment()));
    expect(happenings(undefined, own)).toEqual([
      { type: 'Normal', reason: 'Running', message: 'Every service is ready' },
    ]);
    expect(happenings({ ...own }, own)).toEqual([]);
  });

  it('warn once of a service that fails', () => {
    const own = status({ ...running(userDeployment(), (object) => object), pods: new Map([['web', [crashing]]]) });
    expect(happenings(undefined, own)).toMatchObject([{ type: 'Warning', reason: 'CrashLoop' }]);
    expect(happenings({ ...own }, own)).toEqual([]);
  });
});
