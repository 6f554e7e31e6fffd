import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzip } from 'node:zlib';
import { KubeError } from '../../../schema/status.ts';
import { StoreUnavailableError } from '../../store/store.ts';
import { internalError } from '../errors.ts';
import type { Upgrade } from './web-sockets.ts';

/** Smaller answers are not worth the work. A real server compresses from 128 KiB on. */
const COMPRESS_FROM_BYTES = 128 * 1024;
const LONGEST_WARNINGS = 4096;
const LONGEST_CUT_WARNING = 256;

export interface Reply {
  request: IncomingMessage;
  response: ServerResponse;
  /** When the request asks for another protocol. */
  upgrade?: Upgrade;
  /** Sent as `Warning` headers. */
  warnings: string[];
}

export function sendJson(reply: Reply, status: number, value: unknown): Promise<void> {
  return sendText(reply, status, `${JSON.stringify(value)}\n`);
}

export async function sendText(reply: Reply, status: number, text: string, type = 'application/json'): Promise<void> {
  const { request, response } = reply;
  const body = Buffer.from(text);
  const headers: Record<string, string | string[]> = { 'content-type': type, 'cache-control': 'no-cache, private' };
  if (reply.warnings.length > 0) headers.warning = warningHeaders(reply.warnings);
  const compress =
    body.length >= COMPRESS_FROM_BYTES && /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
  const sent = compress ? await compressed(body) : body;
  if (compress) Object.assign(headers, { 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
  headers['content-length'] = String(sent.length);
  response.writeHead(status, headers);
  response.end(request.method === 'HEAD' ? undefined : sent);
}

/** As a real server: when all together are too long, each is cut, and what does not fit then is left out. */
export function warningHeaders(warnings: string[]): string[] {
  const texts = [...new Set(warnings)];
  const total = texts.reduce((sum, text) => sum + text.length, 0);
  if (total <= LONGEST_WARNINGS) return texts.map(warningHeader);
  const most = Math.floor(LONGEST_WARNINGS / LONGEST_CUT_WARNING);
  return texts.slice(0, most).map((text) => warningHeader(text.slice(0, LONGEST_CUT_WARNING)));
}

/** A header takes printable ASCII. */
function warningHeader(text: string): string {
  const clean = text.replace(/[^ -~]/g, '?');
  return `299 - "${clean.replace(/["\\]/g, '\\$&')}"`;
}

function compressed(body: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) =>
    gzip(body, { level: 1 }, (error, result) => (error ? reject(error) : resolve(result))),
  );
}

/** Any failure as the `Status` a client understands. */
export function toKubeError(error: unknown): KubeError {
  if (error instanceof KubeError) return error;
  if (error instanceof StoreUnavailableError)
    return new KubeError(503, 'ServiceUnavailable', error.message, undefined, error);
  return internalError(error);
}

export async function sendError(reply: Reply, error: KubeError): Promise<void> {
  if (reply.response.headersSent) {
    reply.response.end();
    return;
  }
  const seconds = error.status.details?.retryAfterSeconds;
  if (seconds !== undefined) reply.response.setHeader('retry-after', String(seconds));
  // What is left of a refused body would otherwise be read as the next request.
  if (error.code === 413) reply.response.setHeader('connection', 'close');
  await sendJson(reply, error.code, error.status);
}
