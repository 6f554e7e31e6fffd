import type { Service } from '@berth/core/service';
import { describe, expect, it } from 'vitest';
import type { ContainerStatus, Pod, WarningEvent } from '../kinds.ts';
import { AT, service } from '../testing/fixtures.ts';
import { type PodVerdict, podVerdict } from './pod-failure.ts';

const START = new Date(AT).toISOString();
const probed = (probe: NonNullable<Service['probes']>['readiness'], kind = 'readiness') =>
  service({ probes: { [kind]: probe } });
const http = probed({ http: { path: '/readyz', port: 'http' } });
const RUNNING = { state: { running: { startedAt: START } }, ready: false };

function pod(container: Partial<ContainerStatus>, status: Partial<Pod['status']> = {}): Pod {
  const containerStatuses = [{ name: 'web', image: 'a:1', ...container }];
  const conditions = [{ type: 'Ready', status: 'False', lastTransitionTime: START }];
  const metadata = { name: 'web-1', creationTimestamp: START };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    status: { phase: 'Running', startTime: START, conditions, containerStatuses, ...status },
  };
}

const unhealthy = (message: string): WarningEvent => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'e' },
  reason: 'Unhealthy',
  message,
});

interface Look {
  of?: Service;
  events?: WarningEvent[];
  afterSeconds?: number;
  within?: number;
}

function look(of: Pod, { of: workload = http, events = [], afterSeconds = 40, within = 40 }: Look = {}): PodVerdict {
  return podVerdict(of, { workload, warnings: events, readyWithinSeconds: within, now: AT + afterSeconds * 1000 });
}

const failureOf = (verdict: PodVerdict) => (verdict && 'failure' in verdict ? verdict.failure : undefined);

describe('a pod that is not ready in time', () => {
  const says = (message: string, of?: Service) =>
    failureOf(look(pod(RUNNING), { events: [unhealthy(message)], ...(of && { of }) }))?.message;
  const get = 'Readiness probe failed: Get "http://10.0.0.1:8080/readyz": ';
  const cases: [string, string, Service?][] = [
    [
      'Readiness probe failed: HTTP probe failed with statuscode: 500',
      'The readiness probe of web (GET /readyz on http) answered 500 for 40 s.',
    ],
    [
      `${get}dial tcp 10.0.0.1:8080: connect: connection refused`,
      'The readiness probe of web (GET /readyz on http) found nobody listening for 40 s.',
    ],
    [
      `${get}context deadline exceeded (Client.Timeout exceeded while awaiting headers)`,
      'The readiness probe of web (GET /readyz on http) got no answer in time for 40 s.',
    ],
    [
      'Startup probe failed: dial tcp 10.0.0.1:8080: connect: connection refused',
      'The startup probe of web (a connection to http) found nobody listening for 40 s.',
      probed({ tcp: { port: 'http' } }, 'startup'),
    ],
    [
      'Readiness probe failed: cat: /tmp/ready: No such file or directory\nmore\n',
      'The readiness probe of web (the command cat) failed (cat: /tmp/ready: No such file or directory) for 40 s.',
      probed({ exec: { command: ['cat', '/tmp/ready'] } }),
    ],
    [
      'Readiness probe failed: service unhealthy (responded with "NOT_SERVING")',
      'The readiness probe of web (the gRPC health check of shop.Cart on http) answered that it does not serve for 40 s.',
      probed({ grpc: { port: 'http', service: 'shop.Cart' } }),
    ],
  ];
  it.each(cases)('%s', (event, message, of) => expect(says(event, of)).toBe(message));

  it('is named by its probe though no probe has spoken', () => {
    expect(failureOf(look(pod(RUNNING)))?.message).toBe(
      'The readiness probe of web (GET /readyz on http) did not succeed within 40 s.',
    );
    expect(failureOf(look(pod(RUNNING), { of: service() }))?.message).toBe(
      'web was not ready 40 s after its pod started.',
    );
  });

  it('has all of its time, and all of it again after it was ready', () => {
    expect(look(pod(RUNNING), { afterSeconds: 30 })).toEqual({ againInMs: 10_000 });
    const lastTransitionTime = new Date(AT + 35_000).toISOString();
    const blinked = pod(RUNNING, { conditions: [{ type: 'Ready', status: 'False', lastTransitionTime }] });
    expect(look(blinked)).toEqual({ againInMs: 35_000 });
    const ready = pod({ ...RUNNING, ready: true }, { conditions: [{ type: 'Ready', status: 'True' }] });
    expect(look(ready, { afterSeconds: 4000 })).toBeUndefined();
  });

  it('may be one that no node takes', () => {
    const conditions = [
      { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes are available' },
    ];
    const { startTime: _none, containerStatuses: _nor, ...status } = pod({}).status ?? {};
    const pending = { ...pod({}), status: { ...status, phase: 'Pending', conditions } };
    expect(failureOf(look(pending))).toMatchObject({
      reason: 'Unschedulable',
      message: 'A pod of web was not ready within 40 s. No node can take the pod: 0/3 nodes are available.',
    });
  });
});

describe('a pod that cannot be started', () => {
  const waiting = (reason: string, message = '') => pod({ state: { waiting: { reason, message } } });

  it('for its image is given up at the second try, not at the first', () => {
    expect(failureOf(look(waiting('ErrImagePull'), { afterSeconds: 1 }))).toBeUndefined();
    expect(failureOf(look(waiting('ImagePullBackOff', 'not found'), { afterSeconds: 1 }))).toMatchObject({
      reason: 'ImageMissing',
      message: 'The image a:1 of web cannot be pulled: there is none of this name and tag. Check both.',
    });
  });

  it('for what it refers to has some seconds, in which the node may learn of it', () => {
    const missing = waiting('CreateContainerConfigError', 'secret "shop-web" not found');
    expect(look(missing, { afterSeconds: 4 })).toEqual({ againInMs: 6_000 });
    expect(failureOf(look(missing, { afterSeconds: 10 }))?.message).toBe(
      'A pod of web cannot be started. The Secret "shop-web" is not there yet. It is tried again by itself.',
    );
  });
});

describe('a pod that crashes', () => {
  const ended = (count: number, terminated: object) =>
    pod({ restartCount: count, state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: { terminated } });

  it('is given up at the third time', () => {
    expect(failureOf(look(ended(1, { exitCode: 3 }), { afterSeconds: 5 }))).toBeUndefined();
    expect(failureOf(look(ended(2, { exitCode: 3 }), { afterSeconds: 5 }))).toEqual({
      reason: 'CrashLoop',
      message: 'web ended 3 times, the last time with exit code 3.',
      previous: true,
    });
  });

  it('for want of memory, or by its liveness probe, is told so', () => {
    const killed = ended(2, { exitCode: 137, reason: 'OOMKilled' });
    expect(failureOf(look(killed))).toMatchObject({
      reason: 'OutOfMemory',
      message: 'web was ended 3 times because it needs more memory than its limit.',
    });
    const events = [unhealthy('Liveness probe failed: HTTP probe failed with statuscode: 503')];
    const of = probed({ http: { path: '/healthz', port: 'http' } }, 'liveness');
    expect(failureOf(look(ended(2, { exitCode: 143 }), { events, of }))?.message).toBe(
      'web was ended 3 times: the liveness probe of web (GET /healthz on http) answered 503.',
    );
  });

  it('by itself is not blamed on its liveness probe, which found nobody listening', () => {
    const events = [unhealthy('Liveness probe failed: Get failed: connect ECONNREFUSED 127.0.0.1:8080')];
    const of = probed({ http: { path: '/healthz', port: 'http' } }, 'liveness');
    expect(failureOf(look(ended(2, { exitCode: 1 }), { events, of }))?.message).toBe(
      'web ended 3 times, the last time with exit code 1.',
    );
  });

  it('on a node that evicts it says nothing of the version', () => {
    expect(look(pod({}, { phase: 'Failed', reason: 'Evicted' }), { afterSeconds: 4000 })).toBeUndefined();
  });
});
