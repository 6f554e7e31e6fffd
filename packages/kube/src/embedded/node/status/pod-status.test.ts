import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../schema/kinds/pod.ts';
import type { ContainerRecord } from '../process/container-record.ts';
import { type ContainerView, podStatus } from './pod-status.ts';

const pod = (restartPolicy: 'Always' | 'OnFailure' | 'Never' = 'Always'): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { restartPolicy, containers: [{ name: 'web', image: 'web' }] },
});
const record = (change: Partial<ContainerRecord>): ContainerRecord => ({
  attempt: 0,
  phase: 'running',
  declaration: '',
  image: 'web',
  startedAt: 0,
  backoffMs: 0,
  ...change,
});
const exited = (exitCode: number) =>
  record({ phase: 'exited', finishedAt: 1, termination: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error' } });
const view = (change: Partial<ContainerView> = {}): ContainerView => ({
  container: { name: 'web', image: 'web' },
  mark: 'm',
  record: undefined,
  waiting: undefined,
  started: true,
  ready: true,
  ...change,
});
const status = (of: Pod, main: ContainerView[], init: ContainerView[] = []) =>
  podStatus({
    pod: of,
    main,
    init,
    hostIP: '127.0.0.1',
    podIP: '127.64.0.1',
    startedAt: 0,
    now: 1000,
    stopping: false,
  });
const conditionOf = (given: ReturnType<typeof status>, type: string) =>
  given.conditions?.find((one) => one.type === type);

describe('the status of a pod', () => {
  it('is ready when it runs and its probes pass', () => {
    const given = status(pod(), [view({ record: record({}) })]);
    expect(given.phase).toBe('Running');
    expect(conditionOf(given, 'Ready')?.status).toBe('True');
    expect(given.containerStatuses?.[0]).toMatchObject({ ready: true, started: true, restartCount: 0 });
  });

  it('names what is not ready', () => {
    const given = status(pod(), [view({ record: record({}), ready: false })]);
    expect(conditionOf(given, 'Ready')).toMatchObject({
      status: 'False',
      reason: 'ContainersNotReady',
      message: 'containers with unready status: [web]',
    });
  });

  it('tells a crash loop with how it ended last', () => {
    const waiting = { reason: 'CrashLoopBackOff', message: 'back-off' };
    const given = status(pod(), [view({ record: { ...exited(1), attempt: 4 }, waiting })]);
    expect(given.phase).toBe('Running');
    expect(given.containerStatuses?.[0]).toMatchObject({
      state: { waiting },
      lastState: { terminated: { exitCode: 1 } },
      restartCount: 4,
    });
  });

  it.each([
    ['Never', 0, 'Succeeded'],
    ['OnFailure', 0, 'Succeeded'],
    ['Never', 3, 'Failed'],
    ['Always', 0, 'Running'],
  ] as const)('with policy %s and exit code %d is %s', (policy, code, phase) => {
    expect(status(pod(policy), [view({ record: exited(code) })]).phase).toBe(phase);
  });

  it('waits for init containers', () => {
    const init = view({ container: { name: 'first', image: 'i' }, record: record({}) });
    const given = status(pod(), [view()], [init]);
    expect(given.phase).toBe('Pending');
    expect(conditionOf(given, 'Initialized')).toMatchObject({ status: 'False', reason: 'ContainersNotInitialized' });
    expect(given.containerStatuses?.[0]?.state).toEqual({ waiting: { reason: 'ContainerCreating' } });
  });

  it('keeps the time of a condition that did not change', () => {
    const before = pod();
    before.status = { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2020-01-01T00:00:00Z' }] };
    expect(conditionOf(status(before, [view({ record: record({}) })]), 'Ready')?.lastTransitionTime).toBe(
      '2020-01-01T00:00:00Z',
    );
  });
});
