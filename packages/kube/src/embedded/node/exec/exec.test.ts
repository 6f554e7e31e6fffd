import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Duplex } from 'node:stream';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  EXEC_CHANNELS,
  type ExecOptions,
  type ExecOutcome,
  exec,
  execFrame,
  readExecOutcome,
} from '../../../client/exec.ts';
import { createKubeClient } from '../../../client/http-client.ts';
import type { Pod } from '../../../schema/kinds/pod.ts';
import { POD, SECRET } from '../../../schema/resources.ts';
import { isKubeError } from '../../../schema/status.ts';
import { findKubectl, type Kubectl, startKubectl } from '../../api/testing/kubectl.ts';
import { eventually, startTestCluster, type TestCluster } from '../../testing/test-cluster.ts';
import { readProcessTable } from '../process/process-table.ts';

const kubectlProgram = findKubectl(process.env);
let test: TestCluster;
let kubectl: Kubectl;
beforeAll(async () => {
  test = await startTestCluster();
  if (kubectlProgram) kubectl = await startKubectl(kubectlProgram, readFileSync(test.cluster.kubeconfigPath, 'utf8'));
});
afterAll(async () => {
  await kubectl?.stop();
  await test.stop();
});

async function startPod(namespace: string, name = 'box'): Promise<void> {
  await test.namespace(namespace);
  const data = { word: Buffer.from('$(A) "b"\n').toString('base64') };
  await test.client.create(SECRET, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'words', namespace }, data });
  await test.client.create<Pod>(POD, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [
        {
          name: 'main',
          image: 'test.dev/shell',
          args: ['mkdir -p here; while :; do sleep 0.1; done'],
          workingDir: '/work',
          env: [{ name: 'WORD', valueFrom: { secretKeyRef: { name: 'words', key: 'word' } } }],
        },
      ],
    },
  });
  await eventually(async () => {
    const { status } = await test.client.get<Pod>(POD, { namespace, name });
    expect(status?.containerStatuses?.[0]?.ready).toBe(true);
  });
}

interface Heard {
  stdout: string;
  stderr: string;
  outcome: ExecOutcome | undefined;
}

/** Reads all that a command says, until the server closes. */
async function hear(frames: Duplex): Promise<Heard> {
  const parts: Record<number, Buffer[]> = {};
  for await (const frame of frames as AsyncIterable<Buffer>) {
    const channel = frame[0]!;
    const known = parts[channel] ?? [];
    parts[channel] = known;
    known.push(frame.subarray(1));
  }
  const all = (channel: number) => Buffer.concat(parts[channel] ?? []);
  return {
    stdout: all(EXEC_CHANNELS.stdout).toString('utf8'),
    stderr: all(EXEC_CHANNELS.stderr).toString('utf8'),
    outcome: readExecOutcome(all(EXEC_CHANNELS.error)),
  };
}

const inBox = (namespace: string, command: string[], options: Partial<ExecOptions> = {}) =>
  exec(test.client, { namespace, pod: 'box', command, ...options });
const shell = (script: string) => ['/bin/sh', '-c', script];

/** The processes whose parameters hold this text. */
const processesWith = (text: string): number[] =>
  readProcessTable().flatMap(({ pid }) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text) ? [pid] : [];
    } catch {
      return [];
    }
  });

describe.concurrent('a command in a running container', () => {
  it('has the environment, folder and user of the container, and tells both outputs and its exit code', async () => {
    await startPod('same');
    const { frames, protocol } = await inBox('same', shell('printf %s "$WORD"; pwd >&2; id -u >&2; id -G >&2; exit 7'));
    const heard = await hear(frames);
    expect(protocol).toBe('v5.channel.k8s.io');
    expect(heard.stdout).toBe('$(A) "b"\n');
    const [folder, user, groups] = heard.stderr.split('\n');
    expect(folder).toMatch(/\/root\/work$/);
    if (process.getuid?.() === 0) expect([user, groups]).toEqual(['65534', '65534']);
    expect(heard.outcome).toMatchObject({ exitCode: 7 });
  });

  it('reads its input to the end, and gives back megabytes unchanged to a slow reader', async () => {
    await startPod('flow');
    const { frames } = await inBox('flow', ['cat'], { stdin: true });
    const sent = Buffer.alloc(4 * 2 ** 20, 'abcdefg\n');
    const received: Buffer[] = [];
    const reading = (async () => {
      for await (const frame of frames as AsyncIterable<Buffer>) {
        if (frame[0] !== EXEC_CHANNELS.stdout) continue;
        received.push(frame.subarray(1));
        if (received.length % 32 === 0) await new Promise((resolve) => setTimeout(resolve, 2));
      }
    })();
    for (let at = 0; at < sent.length; at += 65_536) {
      const frame = execFrame(EXEC_CHANNELS.stdin, sent.subarray(at, at + 65_536));
      if (!frames.write(frame)) await new Promise((resolve) => frames.once('drain', resolve));
    }
    frames.write(execFrame(EXEC_CHANNELS.close, Buffer.from([EXEC_CHANNELS.stdin])));
    await reading;
    expect(Buffer.concat(received).equals(sent)).toBe(true);
  });

  it('has a terminal when asked, of the size that is asked for', async () => {
    await startPod('terminal');
    const script = 'trap "stty size; exit 5" WINCH; stty size; id -G; echo ready; while :; do sleep 0.05; done';
    const { frames } = await inBox('terminal', shell(script), { tty: true, stdin: true });
    const heard = hear(frames);
    frames.write(execFrame(EXEC_CHANNELS.resize, 'not a size'));
    await new Promise((resolve) => setTimeout(resolve, 300));
    frames.write(execFrame(EXEC_CHANNELS.resize, JSON.stringify({ Width: 133, Height: 41 })));
    const { stdout, stderr, outcome } = await heard;
    expect(stderr).toBe('');
    const [before, groups] = stdout.split('\r\n');
    expect(before).toBe('24 80');
    if (process.getuid?.() === 0) expect(groups).toBe('65534');
    expect(stdout).toContain('41 133\r\n');
    expect(outcome).toMatchObject({ exitCode: 5 });
  });

  it('on a terminal that does not read holds nobody up', async () => {
    await startPod('deaf');
    const { frames } = await inBox('deaf', ['sleep', '600'], { tty: true, stdin: true });
    frames.resume();
    for (let count = 0; count < 64; count++) frames.write(execFrame(EXEC_CHANNELS.stdin, Buffer.alloc(65_536, 'x\n')));
    // The node still answers, and the rest waits on this side.
    const { frames: other } = await inBox('deaf', ['echo', 'alive']);
    expect((await hear(other)).stdout).toBe('alive\n');
    frames.destroy();
    await eventually(async () => expect(processesWith('sleep\x300')).toEqual([]));
  });

  it('on a terminal loses nothing of its last words to a slow reader', async () => {
    await startPod('tail');
    const { frames } = await inBox('tail', shell('seq 1 200000'), { tty: true });
    await new Promise((resolve) => setTimeout(resolve, 500));
    const { stdout } = await hear(frames);
    expect(stdout.trimEnd().split('\r\n').at(-1)).toBe('200000');
    expect(stdout.split('\r\n').length).toBe(200_001);
  });

  it.each([
    ['nonsense', 127, 'exec: "nonsense": executable file not found in $PATH'],
    ['/no/such', 127, 'exec: "/no/such": no such file or directory'],
    ['/etc', 126, 'exec: "/etc": permission denied'],
  ])('that cannot be started, such as %s, ends with %d and says why', async (name, exitCode, message) => {
    await eventually(() => test.client.get(POD, { namespace: 'same', name: 'box' }));
    const heard = await hear((await inBox('same', [name])).frames);
    expect(heard.stderr).toBe(`${message}\n`);
    expect(heard.outcome).toMatchObject({ exitCode });
    expect(heard.outcome?.message).toContain(message);
  });

  it('ends with all that it began when the client goes, when it ends itself, and with the container', async () => {
    await startPod('ends');
    const gone = await inBox('ends', shell('sleep 60.01 & sleep 60.02'));
    gone.frames.resume();
    const terminal = await inBox('ends', shell('set -m; sleep 60.03 & sleep 60.04'), { tty: true });
    terminal.frames.resume();
    await eventually(async () => expect(processesWith('sleep\x0060.0').length).toBe(4));
    gone.frames.destroy();
    terminal.frames.destroy();
    const short = await hear((await inBox('ends', shell('sleep 60.05 & echo short'))).frames);
    expect(short).toMatchObject({ stdout: 'short\n', outcome: { exitCode: 0 } });
    await eventually(async () => expect(processesWith('sleep\x0060.0')).toEqual([]));
    const last = hear((await inBox('ends', shell('sleep 60.06; :'))).frames);
    await test.client.delete(POD, { namespace: 'ends', name: 'box' });
    expect((await last).outcome).toMatchObject({ exitCode: 137 });
    expect(processesWith('sleep\x0060.0')).toEqual([]);
  });

  it('is refused with a status: no such pod or container, none that runs, no right', async () => {
    await startPod('refused');
    const problem = async (options: Partial<ExecOptions>) => {
      const refusal = await inBox('refused', ['ls'], options).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(Error);
      return (refusal as Error).message;
    };
    expect(await problem({ pod: 'other' })).toBe('pods "other" not found');
    expect(await problem({ container: 'other' })).toBe('container other is not valid for pod box');
    expect(await problem({ protocols: ['v9.channel.k8s.io' as never] })).toContain('this server speaks v5.channel');
    await test.client.create<Pod>(POD, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'foreign', namespace: 'refused' },
      spec: { containers: [{ name: 'main', image: 'nginx' }] },
    });
    await eventually(async () =>
      expect(await problem({ pod: 'foreign' })).toMatch(/container "main" of pod "foreign" is not running: \w*Image/),
    );
    const nobody = createKubeClient(await test.cluster.clientFor({ name: 'nobody', groups: [] }));
    const forbidden = await exec(nobody, { namespace: 'refused', pod: 'box', command: ['ls'] }).catch(
      (e: unknown) => e,
    );
    expect(isKubeError(forbidden, 'Forbidden')).toBe(true);
    expect((forbidden as Error).message).toContain('cannot get resource "pods/exec"');
    await nobody.close();
  });

  it.skipIf(!kubectlProgram)('comes from kubectl: exec, a terminal, cp both ways', async () => {
    await startPod('kubectl');
    const failed = await kubectl.try('-n kubectl exec box -- sh -c exit\u00a03'.replace('\u00a0', ' '));
    expect(failed.code).toBe(0);
    expect(await kubectl.run('-n kubectl exec -i box -- cat', 'piped')).toBe('piped');
    const missing = await kubectl.try('-n kubectl exec box -- nonsense');
    expect(missing).toMatchObject({ code: 127 });
    expect(missing.error).toContain('executable file not found');
    const file = await kubectl.file('sent', 'content '.repeat(100_000));
    await kubectl.run(`-n kubectl cp ${file} box:here/sent`);
    await kubectl.run('-n kubectl cp box:here/sent $DIR/back');
    await promisify(execFile)('cmp', [file, file.replace(/sent$/, 'back')]);
    const script = `${kubectlProgram} -n kubectl exec -it box -- sh -c "test -t 0 && test -t 1 && exit 9"`;
    const environment = { PATH: '/usr/bin:/bin', HOME: tmpdir(), KUBECONFIG: test.cluster.kubeconfigPath };
    const ended = await promisify(execFile)('script', ['-qec', script, '/dev/null'], { env: environment }).catch(
      (error: { code: number }) => error.code,
    );
    expect(ended).toBe(9);
  });
});
