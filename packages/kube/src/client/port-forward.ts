import { Duplex } from 'node:stream';
import { POD } from '../schema/resources.ts';
import { KubeError } from '../schema/status.ts';
import type { KubeClient } from './client.ts';
import { objectPath } from './paths.ts';

/**
 * One connection to a port of a pod, over a WebSocket of its own. Messages begin with a channel byte: 0 data, 1 error; the first of
 * each channel is the port, two bytes, the low one first. Whatever follows on the error channel says why there is no connection.
 *
 * The protocol cannot close one direction alone: after `end()` the other side goes on until it ends itself or is destroyed.
 */
export interface PortForwardOptions {
  namespace: string;
  pod: string;
  port: number;
  signal?: AbortSignal;
}

const PROTOCOL = 'v4.channel.k8s.io';
const DATA = 0;
const ERROR = 1;
const PORT_BYTES = 2;

/** Resolves once the server has taken the port; that nobody listens there shows as an error of the stream. */
export async function portForward(client: Pick<KubeClient, 'socket'>, options: PortForwardOptions): Promise<Duplex> {
  const { namespace, pod, port, signal } = options;
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new KubeError(400, 'BadRequest', `port ${port} is not a port: it is a whole number from 1 to 65535`);
  const path = `${objectPath(POD, { namespace, name: pod }, 'portforward')}?ports=${port}`;
  const { frames } = await client.socket(path, { protocols: [PROTOCOL], ...(signal && { signal }) });
  return connectionOf(frames, `port ${port} of pod ${namespace}/${pod}`);
}

function connectionOf(frames: Duplex, name: string): Duplex {
  /** How much of the port is still to come, per channel. */
  const preface = [PORT_BYTES, PORT_BYTES];
  let trouble = '';

  const connection = new Duplex({
    read: () => frames.resume(),
    write(chunk: Buffer, _encoding, done) {
      frames.write(Buffer.concat([Buffer.from([DATA]), chunk]), done);
    },
    final: (done) => done(),
    destroy(error, done) {
      frames.destroy();
      done(error);
    },
  });

  function receive(frame: Buffer): void {
    const channel = frame[0] ?? -1;
    const before = preface[channel];
    if (before === undefined) return;
    const skipped = Math.min(before, frame.length - 1);
    preface[channel] = before - skipped;
    const payload = frame.subarray(1 + skipped);
    if (payload.length === 0) return;
    if (channel === ERROR) trouble += payload.toString('utf8');
    else if (!connection.push(payload)) frames.pause();
  }

  frames.on('data', receive);
  frames.once('end', () => {
    if (trouble === '') connection.push(null);
    else connection.destroy(new KubeError(503, 'ServiceUnavailable', `${name}: ${trouble}`));
  });
  frames.once('error', (cause: Error) => {
    connection.destroy(new KubeError(503, 'ServiceUnavailable', `${name}: ${cause.message}`, undefined, cause));
  });
  frames.once('close', () => {
    if (!connection.readableEnded && !frames.readableEnded) connection.destroy();
  });
  return connection;
}
