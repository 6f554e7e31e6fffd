import { describe, expect, it } from 'vitest';
import type { Pod, WarningEvent } from '../kinds.ts';
import { AT } from '../testing/fixtures.ts';
import { podProblem } from './pod-problem.ts';

const pod = (status: Pod['status']): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web-1' },
  ...(status && { status }),
});
const container = (state: object, more: object = {}) => ({
  name: 'web',
  image: 'acme/web:1',
  ready: false,
  state,
  ...more,
});
const warning = (reason: string, message: string, at = AT): WarningEvent => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'e' },
  reason,
  message,
  lastTimestamp: new Date(at).toISOString(),
});
const startedAt = (before: number) => ({ running: { startedAt: new Date(AT - before).toISOString() } });

describe('what is wrong with a pod, in words', () => {
  type Case = [string, Pod, WarningEvent[], { reason: string; message: string; serious: boolean } | undefined];
  const cases: Case[] = [
    ['nothing, when it has just been made', pod({ phase: 'Pending' }), [], undefined],
    ['nothing, when it runs', pod({ containerStatuses: [{ ...container(startedAt(0)), ready: true }] }), [], undefined],
    [
      'no node takes it',
      pod({
        conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no memory left' }],
      }),
      [],
      { reason: 'Unschedulable', message: 'No node can take the pod: no memory left.', serious: true },
    ],
    [
      'its image is missing, with what to install',
      pod({
        containerStatuses: [container({ waiting: { reason: 'ErrImagePull', message: 'install a container engine' } })],
      }),
      [],
      {
        reason: 'ImageMissing',
        message: 'The image acme/web:1 cannot be had: install a container engine.',
        serious: true,
      },
    ],
    [
      'its program is not there, which containerd tells as an end',
      pod({
        containerStatuses: [
          container(
            { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 20s restarting failed container=web' } },
            {
              restartCount: 2,
              lastState: {
                terminated: {
                  exitCode: 128,
                  reason: 'StartError',
                  message:
                    'runc create failed: unable to start container process: exec: "nope": executable file not found in $PATH: unknown',
                },
              },
            },
          ),
        ],
      }),
      [],
      {
        reason: 'StartError',
        message: 'The container cannot be started. Its image has no program "nope". Check the command of the service.',
        serious: true,
      },
    ],
    [
      'its node does not answer',
      pod({
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: new Date(AT - 2_000).toISOString() }],
        containerStatuses: [{ ...container(startedAt(60_000)), ready: true }],
      }),
      [warning('NodeNotReady', 'Node is not ready', AT - 2_000)],
      {
        reason: 'NodeLost',
        message:
          'The node of the pod does not answer. If it stays so, Kubernetes starts the pod on another node after five minutes.',
        serious: true,
      },
    ],
    [
      'nothing of its node, when that came back long ago',
      pod({
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: new Date(AT - 2_000).toISOString() }],
        containerStatuses: [container(startedAt(2_000))],
      }),
      [warning('NodeNotReady', 'Node is not ready', AT - 600_000)],
      undefined,
    ],
    [
      'it crashes in a loop, with code and last words',
      pod({
        containerStatuses: [
          container(
            { waiting: { reason: 'CrashLoopBackOff' } },
            {
              restartCount: 3,
              lastState: { terminated: { exitCode: 2, reason: 'Error', message: 'no such table\n' } },
            },
          ),
        ],
      }),
      [],
      {
        reason: 'CrashLoop',
        message: 'The program keeps ending with exit code 2: no such table. Its log says why.',
        serious: true,
      },
    ],
    [
      'it needs more memory than it may have',
      pod({
        containerStatuses: [container({ terminated: { exitCode: 137, reason: 'OOMKilled' } }, { restartCount: 1 })],
      }),
      [],
      {
        reason: 'OutOfMemory',
        message: 'The program keeps ending with exit code 137 (OOMKilled). It needs more memory than its limit.',
        serious: true,
      },
    ],
    [
      'nothing yet, when it ended once',
      pod({ containerStatuses: [container({ terminated: { exitCode: 1 } }, { restartCount: 0 })] }),
      [],
      undefined,
    ],
    [
      'its container cannot be made',
      pod({
        containerStatuses: [
          container({ waiting: { reason: 'CreateContainerConfigError', message: 'secret "x" not found' } }),
        ],
      }),
      [],
      {
        reason: 'CreateContainerConfigError',
        message: 'The container cannot be started. The Secret "x" is not there yet. It is tried again by itself.',
        serious: true,
      },
    ],
    [
      'its volume cannot be mounted',
      pod({ containerStatuses: [container({ waiting: { reason: 'ContainerCreating' } })] }),
      [warning('FailedMount', 'timed out.')],
      { reason: 'VolumeNotMounted', message: 'A volume cannot be mounted: timed out.', serious: true },
    ],
    [
      'its probe fails while it starts, which may be nothing',
      pod({ containerStatuses: [container(startedAt(5_000))] }),
      [warning('Unhealthy', 'Readiness probe failed: 503')],
      { reason: 'ProbeFailing', message: 'Readiness probe failed: 503.', serious: false },
    ],
    [
      'its probe fails still after a minute',
      pod({ containerStatuses: [container(startedAt(61_000))] }),
      [warning('Unhealthy', 'Readiness probe failed: 503')],
      { reason: 'ProbeFailing', message: 'Readiness probe failed: 503.', serious: true },
    ],
    ...(
      [
        ['its node was stopped and started', { exitCode: 0, reason: 'Completed' }, false],
        ['its node was killed', { exitCode: 137, reason: 'ContainerStatusUnknown' }, false],
        ['it failed before', { exitCode: 1, reason: 'Error' }, true],
      ] as const
    ).map(
      ([why, terminated, serious]): Case => [
        `its probe fails while it starts again: ${why}`,
        pod({ containerStatuses: [container(startedAt(5_000), { restartCount: 1, lastState: { terminated } })] }),
        [warning('Unhealthy', 'Readiness probe failed: 503')],
        { reason: 'ProbeFailing', message: 'Readiness probe failed: 503.', serious },
      ],
    ),
    [
      'nothing, when the probe failed in an earlier life',
      pod({ containerStatuses: [container(startedAt(5_000))] }),
      [warning('Unhealthy', 'Readiness probe failed: 503', AT - 60_000)],
      undefined,
    ],
    [
      'it was evicted',
      pod({ phase: 'Failed', reason: 'Evicted', message: 'the node was low on disk' }),
      [],
      { reason: 'Evicted', message: 'The pod was ended: the node was low on disk.', serious: true },
    ],
  ];
  it.each(cases)('%s', (_name, given, warnings, expected) => {
    expect(podProblem(given, warnings, AT)).toEqual(expected);
  });
});
