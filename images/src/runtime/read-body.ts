import type { IncomingMessage } from 'node:http';
import { AnsweredError } from './web-app.ts';

const PATIENCE_BYTES = 1024 * 1024;

/** Refuses a body over the limit; some more of it is read, so that the refusal arrives. */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
    if (size > limit + PATIENCE_BYTES) break;
  }
  if (size > limit) throw new AnsweredError(413, `That is too large: at most ${limit} bytes are taken.`);
  return Buffer.concat(chunks);
}

/** A JSON object, or the fields of a form. */
export async function readFields(request: IncomingMessage, limit = 64 * 1024): Promise<Record<string, unknown>> {
  const body = (await readBody(request, limit)).toString('utf8');
  if (isForm(request)) return Object.fromEntries(new URLSearchParams(body));
  if (!contentType(request).startsWith('application/json'))
    throw new AnsweredError(415, 'Send a form or a JSON object.');
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    throw new AnsweredError(400, 'The body is no JSON.');
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new AnsweredError(400, 'Send a JSON object.');
  return parsed as Record<string, unknown>;
}

export function isForm(request: IncomingMessage): boolean {
  return contentType(request).startsWith('application/x-www-form-urlencoded');
}

function contentType(request: IncomingMessage): string {
  return request.headers['content-type'] ?? '';
}
