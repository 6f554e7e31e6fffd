import { connect, constants } from 'node:http2';
import type { HandlerResult } from './run-handler.ts';

/**
 * Asks `grpc.health.v1.Health/Check`, without TLS, as a kubelet does. Of protobuf it needs one string (field 1 of the request) and one
 * number (field 1 of the answer), and of gRPC one frame each way: a byte that says uncompressed, then the length in four.
 */
export interface GrpcCheck {
  host: string;
  port: number;
  service: string;
  timeoutMs: number;
}

const SERVING = 1;
const STATUSES = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'];
const FRAME_HEAD_BYTES = 5;
const LARGEST_ANSWER_BYTES = 4096;
const GRPC_OK = '0';
const GRPC_UNIMPLEMENTED = '12';

export function checkGrpc({ host, port, service, timeoutMs }: GrpcCheck): Promise<HandlerResult> {
  return new Promise((resolve) => {
    const session = connect(`http://${host}:${port}`);
    const fail = (message: string): void => finish({ success: false, message });
    const finish = (result: HandlerResult): void => {
      clearTimeout(timer);
      session.destroy();
      resolve(result);
    };
    const timer = setTimeout(() => fail(`timeout: health rpc did not complete within ${timeoutMs} ms`), timeoutMs);
    const unreachable = (error: Error): void =>
      fail(`failed to connect service at "${host}:${port}": ${error.message}`);
    session.on('error', unreachable);
    const call = session.request({
      [constants.HTTP2_HEADER_METHOD]: 'POST',
      [constants.HTTP2_HEADER_PATH]: '/grpc.health.v1.Health/Check',
      'content-type': 'application/grpc',
      'user-agent': 'kube-probe/1',
      te: 'trailers',
    });
    let answer: Buffer = Buffer.alloc(0);
    let http = 0;
    let status: Record<string, unknown> = {};
    call.on('response', (headers) => {
      http = Number(headers[':status']);
      // An answer without a message carries its status here.
      status = headers;
    });
    call.on('trailers', (trailers) => {
      status = { ...status, ...trailers };
    });
    call.on('data', (chunk: Buffer) => {
      answer = Buffer.concat([answer, chunk]);
      if (answer.length > LARGEST_ANSWER_BYTES) fail('the answer is longer than an answer of this service can be');
    });
    call.on('error', (error) => {
      // A call that waited for its connection fails together with it, before the session says so.
      if (session.connecting || error.cause instanceof Error)
        unreachable(error.cause instanceof Error ? error.cause : error);
      else fail(`health rpc failed: ${error.message}`);
    });
    call.once('end', () => finish(verdictOf(answer, { http, ...status })));
    call.end(frame(encodeService(service)));
  });
}

function verdictOf(answer: Buffer, status: Record<string, unknown> & { http: number }): HandlerResult {
  const fail = (message: string): HandlerResult => ({ success: false, message });
  const code = String(status['grpc-status'] ?? '');
  if (code === GRPC_UNIMPLEMENTED)
    return fail('this server does not implement the grpc health protocol (grpc.health.v1.Health)');
  if (code !== GRPC_OK) {
    const said = decodeMessage(String(status['grpc-message'] ?? ''));
    return fail(code === '' ? `no gRPC answer, HTTP status ${status.http}` : `health rpc failed: code ${code} ${said}`);
  }
  const serving = decodeStatus(answer.subarray(FRAME_HEAD_BYTES));
  if (serving === SERVING) return { success: true, message: '' };
  return fail(`service unhealthy (responded with "${STATUSES[serving] ?? serving}")`);
}

function frame(message: Buffer): Buffer {
  const head = Buffer.alloc(FRAME_HEAD_BYTES);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

function encodeService(service: string): Buffer {
  if (service === '') return Buffer.alloc(0);
  const text = Buffer.from(service);
  const length: number[] = [];
  for (let rest = text.length; ; rest >>>= 7) {
    length.push(rest > 0x7f ? (rest & 0x7f) | 0x80 : rest);
    if (rest <= 0x7f) break;
  }
  return Buffer.concat([Buffer.from([0x0a, ...length]), text]);
}

/** 0, which is left out on the wire, when there is no such field. */
function decodeStatus(message: Buffer): number {
  return message[0] === 0x08 ? (message[1] ?? 0) : 0;
}

/** gRPC percent-encodes what is not plain ASCII. */
function decodeMessage(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not encoded after all: shown as it came.
    return text;
  }
}
