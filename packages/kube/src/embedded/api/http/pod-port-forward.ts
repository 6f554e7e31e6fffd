import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { KubeObject } from '../../../schema/object.ts';
import { badRequest } from '../errors.ts';
import type { NodeAgent } from '../node-agent.ts';
import { copyOut, onFrame, sendFrame, writeIn } from './channels.ts';
import { podOnNode } from './pod-target.ts';
import type { ResourceCall } from './resource-call.ts';

/**
 * Connections to ports of a pod over one WebSocket, one a port: for the port at place i, channel 2i carries data and channel 2i+1
 * says what went wrong. Each first sends the port, two bytes, the low one first. The socket ends with the last connection.
 */
const PROTOCOLS = ['v4.channel.k8s.io'];
const MOST_PORTS = 16;

export async function handlePodPortForward(call: ResourceCall): Promise<void> {
  const { path, info, reply, sockets } = call;
  const { pod, agent } = podOnNode(call);
  const status = pod.status as { phase?: string } | undefined;
  if (status?.phase !== 'Running')
    throw badRequest(`unable to forward port because pod is not running. Current status=${status?.phase}`);
  if (speaksSpdy(reply.request.headers)) throw badRequest(withoutSpdy(pod));
  const protocol = sockets.negotiate(reply, PROTOCOLS);
  const ports = portsOf(info.query);
  const socket = await sockets.accept(reply, protocol);
  const incoming = new Map<number, (payload: Buffer) => void>();
  onFrame(socket, (channel, payload) => incoming.get(channel)?.(payload));
  const forwarded = ports.map((port, index) => {
    const at = { namespace: path.namespace, pod: path.name, port };
    return forward(socket, { at, data: index * 2, incoming, agent });
  });
  socket.resume();
  await Promise.all(forwarded);
  socket.close(1000);
}

/** As kubectl does: first inside a WebSocket, then, when that is refused, bare. */
function speaksSpdy(headers: IncomingHttpHeaders): boolean {
  return /^SPDY/i.test(headers['sec-websocket-protocol'] ?? headers.upgrade ?? '');
}

function withoutSpdy(pod: KubeObject): string {
  const address = (pod.status as { podIP?: string } | undefined)?.podIP;
  return `port-forward over SPDY is not served here, and not needed: every program on this machine reaches the pod at ${address}`;
}

function portsOf(query: URLSearchParams): number[] {
  const words = query.getAll('ports').flatMap((value) => value.split(','));
  if (words.length === 0) throw badRequest('query parameter "ports" is required');
  if (words.length > MOST_PORTS) throw badRequest(`at most ${MOST_PORTS} ports go into one connection`);
  return words.map((word) => {
    const port = /^\d{1,5}$/.test(word) ? Number(word) : 0;
    if (port < 1 || port > 65_535) throw badRequest(`unable to parse ${JSON.stringify(word)} as a port`);
    return port;
  });
}

interface Forwarding {
  at: { namespace: string; pod: string; port: number };
  data: number;
  incoming: Map<number, (payload: Buffer) => void>;
  agent: NodeAgent;
}

async function forward(socket: WebSocket, { at, data, incoming, agent }: Forwarding): Promise<void> {
  const port = Buffer.alloc(2);
  port.writeUInt16LE(at.port);
  // Taken up at once and in order: what comes before the connection stands waits in it.
  const connecting = agent.connect(at);
  const early: Buffer[] = [];
  incoming.set(data, (payload) => early.push(payload));
  await Promise.all([sendFrame(socket, data, port), sendFrame(socket, data + 1, port)]);
  let connection: Socket | undefined;
  try {
    connection = await connecting;
    await converse(socket, connection, { data, incoming, early });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    await sendFrame(socket, data + 1, `error forwarding port ${at.port} to pod ${at.pod}: ${why}`);
  } finally {
    incoming.delete(data);
    connection?.destroy();
  }
}

async function converse(
  socket: WebSocket,
  connection: Socket,
  { data, incoming, early }: Pick<Forwarding, 'data' | 'incoming'> & { early: Buffer[] },
): Promise<void> {
  socket.once('close', () => connection.destroy());
  for (const payload of early) writeIn(socket, connection, payload);
  incoming.set(data, (payload) => writeIn(socket, connection, payload));
  await copyOut(socket, data, connection);
}
