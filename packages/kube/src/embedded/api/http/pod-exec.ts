import type { WebSocket } from 'ws';
import { badRequest } from '../errors.ts';
import type { CommandProcess, ExecEnd, TerminalSize } from '../node-agent.ts';
import { copyOut, onFrame, sendFrame, writeIn } from './channels.ts';
import { containerOf, podOnNode } from './pod-target.ts';
import { isTrue } from './request-info.ts';
import type { ResourceCall } from './resource-call.ts';

/**
 * `kubectl exec`: a command in a running container, over a WebSocket. The command ends when the socket does, and the other way round;
 * the last message says how it ended.
 */
const PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];
const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const ERROR = 3;
const RESIZE = 4;
/** v5: `255 0` says that nothing more comes for stdin. */
const CLOSE = 255;
const LARGEST_SIDE = 0xffff;

export async function handlePodExec(call: ResourceCall): Promise<void> {
  const { path, info, reply, sockets } = call;
  const { pod, agent } = podOnNode(call);
  const wanted = streamsOf(info.query);
  const command = info.query.getAll('command');
  if (command.length === 0 || command[0] === '') throw badRequest('you must specify a command to run');
  const container = containerOf(pod, info.query.get('container') ?? '');
  const protocol = sockets.negotiate(reply, PROTOCOLS);
  const { namespace, name } = path;
  const running = agent.exec({ namespace, pod: name, container, command, tty: wanted.tty });
  try {
    await serve(await sockets.accept(reply, protocol), running, wanted);
  } finally {
    await running.kill();
  }
}

interface Streams {
  stdin: boolean;
  stdout: boolean;
  stderr: boolean;
  tty: boolean;
}

function streamsOf(query: URLSearchParams): Streams {
  const [stdin, stdout, stderr, tty] = ['stdin', 'stdout', 'stderr', 'tty'].map((name) => isTrue(query.get(name)));
  if (!stdin && !stdout && !stderr) throw badRequest('you must specify at least 1 of stdin, stdout, stderr');
  return { stdin: stdin!, stdout: stdout!, stderr: stderr! && !tty, tty: tty! };
}

async function serve(socket: WebSocket, running: CommandProcess, wanted: Streams): Promise<void> {
  const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  receive(socket, running, wanted);
  // Says that all is ready before the command has said anything, as a kubelet does.
  await sendFrame(socket, wanted.stdout ? STDOUT : wanted.stderr ? STDERR : ERROR, '');
  const output = Promise.all([
    running.ended,
    copyOrDrop(socket, wanted.stdout ? STDOUT : undefined, running.stdout),
    running.stderr && copyOrDrop(socket, wanted.stderr ? STDERR : undefined, running.stderr),
  ]).then(async ([end]) => {
    await sendFrame(socket, ERROR, JSON.stringify(statusOf(end)));
    socket.close(1000);
  });
  await Promise.race([output, gone]);
}

function receive(socket: WebSocket, running: CommandProcess, wanted: Streams): void {
  if (!wanted.stdin && !wanted.tty) running.stdin.end();
  onFrame(socket, (channel, payload) => {
    if (channel === STDIN && wanted.stdin) writeIn(socket, running.stdin, payload);
    else if (channel === CLOSE && payload[0] === STDIN) running.stdin.end();
    else if (channel === RESIZE) {
      const size = sizeOf(payload);
      if (size) running.resize(size);
    }
  });
  socket.resume();
}

async function copyOrDrop(
  socket: WebSocket,
  channel: number | undefined,
  stream: CommandProcess['stdout'],
): Promise<void> {
  if (channel === undefined) stream.resume();
  else await copyOut(socket, channel, stream);
}

/** Undefined for what is no size: a terminal keeps the one that it has. */
function sizeOf(payload: Buffer): TerminalSize | undefined {
  try {
    const { Width: columns, Height: rows } = JSON.parse(payload.toString('utf8')) as Record<string, number>;
    const isSide = (side: number | undefined) => Number.isInteger(side) && side! > 0 && side! <= LARGEST_SIDE;
    return isSide(columns) && isSide(rows) ? { columns: columns!, rows: rows! } : undefined;
  } catch {
    // Not JSON.
    return undefined;
  }
}

function statusOf({ exitCode, message }: ExecEnd) {
  if (exitCode === 0) return { metadata: {}, status: 'Success' };
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: ${message ?? `command terminated with exit code ${exitCode}`}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
  };
}
