import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import { delay, systemClock } from '../../../client/clock.ts';
import type { Container, Handler, HttpGet, Probe } from '../../../schema/kinds/pod.ts';
import { checkGrpc } from './grpc-check.ts';

export interface HandlerTarget {
  container: Container;
  /** The pod's address. */
  address: string;
  /** Container port -> port that really listens, where the node had to move it. */
  listenPorts: Record<string, number>;
  /** Runs a command as the container does: its environment, folder and user. */
  exec: (command: string[], limits: HandlerLimits) => Promise<HandlerResult>;
}

export interface HandlerLimits {
  timeoutMs: number;
  /** Nobody waits for the outcome any more: what runs is ended. */
  signal?: AbortSignal;
}

export interface HandlerResult {
  success: boolean;
  /** Why not, for an event. */
  message: string;
}

/** Does what a probe or a hook says, once. Never throws: whatever goes wrong is a failure with its reason. */
export async function runHandler(
  target: HandlerTarget,
  handler: Handler & Pick<Probe, 'grpc'>,
  limits: HandlerLimits,
): Promise<HandlerResult> {
  const { timeoutMs } = limits;
  try {
    if (handler.exec) return await target.exec(handler.exec.command, limits);
    if (handler.httpGet) return await getOnce(target, handler.httpGet, timeoutMs);
    if (handler.tcpSocket) {
      const { port, host } = handler.tcpSocket;
      return await connectOnce(host ?? target.address, portNumber(target, port), timeoutMs);
    }
    if (handler.grpc) {
      const { port, service = '' } = handler.grpc;
      return await checkGrpc({ host: target.address, port: portNumber(target, port), service, timeoutMs });
    }
    if (handler.sleep) {
      await delay(systemClock, handler.sleep.seconds * 1000, limits.signal);
      return { success: true, message: '' };
    }
    return { success: false, message: 'this handler is not supported by this node' };
  } catch (error) {
    return { success: false, message: error instanceof Error ? error.message : String(error) };
  }
}

function portNumber(target: HandlerTarget, port: number | string): number {
  const declared =
    typeof port === 'number' ? port : target.container.ports?.find((one) => one.name === port)?.containerPort;
  const number = declared ?? Number(port);
  if (!Number.isInteger(number)) throw new Error(`the container has no port named "${port}"`);
  return target.listenPorts[String(number)] ?? number;
}

function getOnce(target: HandlerTarget, get: HttpGet, timeoutMs: number): Promise<HandlerResult> {
  const secure = get.scheme === 'HTTPS';
  const headers: Record<string, string> = { 'user-agent': 'kube-probe/1', accept: '*/*' };
  for (const { name, value } of get.httpHeaders ?? []) headers[name.toLowerCase()] = value;
  return new Promise((resolve) => {
    const request = (secure ? httpsRequest : httpRequest)(
      {
        host: get.host ?? target.address,
        port: portNumber(target, get.port),
        path: get.path ?? '/',
        headers,
        timeout: timeoutMs,
        agent: false,
        // As the kubelet: a probe asks whether it answers, not who it is.
        ...(secure ? { rejectUnauthorized: false } : {}),
      },
      (response) => {
        response.resume();
        const status = response.statusCode ?? 0;
        const success = status >= 200 && status < 400;
        resolve({ success, message: success ? '' : `HTTP probe failed with statuscode: ${status}` });
      },
    );
    const timer = setTimeout(() => request.destroy(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    request.once('close', () => clearTimeout(timer));
    request.once('error', (error) => resolve({ success: false, message: `Get failed: ${error.message}` }));
    request.end();
  });
}

function connectOnce(host: string, port: number, timeoutMs: number): Promise<HandlerResult> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const finish = (result: HandlerResult): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(result);
    };
    const timer = setTimeout(() => finish({ success: false, message: `dial tcp ${host}:${port}: timeout` }), timeoutMs);
    socket.once('connect', () => finish({ success: true, message: '' }));
    socket.once('error', (error) => finish({ success: false, message: `dial tcp ${host}:${port}: ${error.message}` }));
  });
}
