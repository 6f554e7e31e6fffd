import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Handler, Pod } from '../../schema/kinds/pod.ts';
import { EVENT, POD } from '../../schema/resources.ts';
import { isKubeError } from '../../schema/status.ts';
import { eventually, podLog, startTestCluster, type TestCluster } from '../testing/test-cluster.ts';

let test: TestCluster;
beforeAll(async () => {
  test = await startTestCluster();
});
afterAll(() => test.stop());

/** Says when it is asked to end, and ends. */
const POLITE = 'exec 2>/dev/null; trap "echo told; exit 0" TERM; echo up; while :; do sleep 0.05; done';

const hooked = (
  name: string,
  namespace: string,
  hook: { preStop?: Handler; postStart?: Handler; graceSeconds?: number; script?: string },
): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace },
  spec: {
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: hook.graceSeconds ?? 10,
    containers: [
      {
        name: 'main',
        image: 'test.dev/shell',
        args: [hook.script ?? POLITE],
        env: [{ name: 'WORD', value: 'farewell' }],
        lifecycle: {
          ...(hook.preStop ? { preStop: hook.preStop } : {}),
          ...(hook.postStart ? { postStart: hook.postStart } : {}),
        },
      },
    ],
  },
});

async function startPod(pod: Pod): Promise<void> {
  await test.client.create(POD, pod);
  await eventually(async () => {
    expect(await podLog(test.client, pod.metadata.namespace!, pod.metadata.name)).toContain('up\n');
  });
}

/** Deletes the pod and follows its log to the end: what it said, and how long that took. */
async function stopPod(namespace: string, name: string): Promise<{ said: string; seconds: number }> {
  const following = podLog(test.client, namespace, name, '?follow=true');
  const began = performance.now();
  await test.client.delete(POD, { namespace, name });
  const said = await following;
  return { said, seconds: (performance.now() - began) / 1000 };
}

describe.concurrent('a hook', () => {
  it('that sleeps holds SIGTERM back for so long', async () => {
    const namespace = await test.namespace('sleeps');
    await startPod(hooked('one', namespace, { preStop: { sleep: { seconds: 1 } } }));
    const { said, seconds } = await stopPod(namespace, 'one');
    expect(said).toBe('up\ntold\n');
    expect(seconds).toBeGreaterThan(1);
    expect(seconds).toBeLessThan(3);
  });

  it('runs its command as the container does, before SIGTERM', async () => {
    const namespace = await test.namespace('runs');
    const preStop = { exec: { command: ['/bin/sh', '-c', 'echo "$WORD" > "$HOME/left"'] } };
    const script = 'exec 2>/dev/null; trap "cat $HOME/left; exit 0" TERM; echo up; while :; do sleep 0.05; done';
    await startPod(hooked('one', namespace, { preStop, script }));
    expect((await stopPod(namespace, 'one')).said).toBe('up\nfarewell\n');
  });

  it('that takes the whole grace period is ended, and the program is told all the same', async () => {
    const namespace = await test.namespace('slow');
    const preStop = { exec: { command: ['/bin/sh', '-c', 'sleep 60'] } };
    await startPod(hooked('one', namespace, { preStop, graceSeconds: 1 }));
    const { said, seconds } = await stopPod(namespace, 'one');
    expect(said).toBe('up\ntold\n');
    expect(seconds).toBeLessThan(4);
    await eventually(async () => {
      const { items } = await test.client.list(EVENT, { namespace });
      expect(items.map(({ reason }) => reason)).toContain('FailedPreStopHook');
    });
  });

  it('is not waited for once the program has ended by itself', async () => {
    const namespace = await test.namespace('early');
    const script = 'echo up; sleep 0.5; echo done';
    await startPod(hooked('one', namespace, { preStop: { sleep: { seconds: 9 } }, script }));
    const { said, seconds } = await stopPod(namespace, 'one');
    expect(said).toBe('up\ndone\n');
    expect(seconds).toBeLessThan(4);
  });

  it('that fails after the start ends the container', async () => {
    const namespace = await test.namespace('begins');
    const postStart = { exec: { command: ['/bin/sh', '-c', 'exit 3'] } };
    await test.client.create(POD, hooked('one', namespace, { postStart }));
    await eventually(async () => {
      const { status } = await test.client.get<Pod>(POD, { namespace, name: 'one' });
      expect(status?.containerStatuses?.[0]?.state.terminated?.exitCode).toBe(137);
    });
  });

  it.each([
    [{ sleep: { seconds: 11 } }, 'preStop.sleep: Invalid value: 11: must be non-negative and less than'],
    [{ exec: { command: [] } }, 'preStop.exec.command: Required value'],
    [{}, 'preStop: Required value: must specify a handler type'],
    [{ sleep: { seconds: 1 }, exec: { command: ['x'] } }, 'preStop.sleep: Forbidden: may not specify more than 1'],
    [{ tcpSocket: { port: 0 } }, 'preStop.tcpSocket.port: Invalid value: 0'],
  ])('as %j is refused', async (preStop, problem) => {
    const refused = await test.client
      .create(POD, hooked('bad', 'default', { preStop }))
      .catch((error: unknown) => error);
    expect(isKubeError(refused, 'Invalid')).toBe(true);
    expect((refused as Error).message).toContain(`spec.containers[0].lifecycle.${problem}`);
  });
});
