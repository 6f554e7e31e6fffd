import type { IncomingMessage } from 'node:http';
import { parse as parseYaml } from 'yaml';
import { badRequest, tooLarge, unsupportedMediaType } from '../errors.ts';

/** As a real server: what a client may send at most. */
export const LARGEST_REQUEST_BYTES = 3 * 1024 * 1024;
/** Far above any real object, far below what would exhaust the stack. */
const DEEPEST_NESTING = 512;

/** What is read of a body that is too large anyway: a client that is still sending would see a broken pipe, not the answer. */
const DISCARDED_BYTES = 32 * 1024 * 1024;

export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > DISCARDED_BYTES) break;
    if (bytes > LARGEST_REQUEST_BYTES) chunks.length = 0;
    else chunks.push(chunk);
  }
  if (bytes > LARGEST_REQUEST_BYTES) throw tooLarge(`limit is ${LARGEST_REQUEST_BYTES}`);
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

/** JSON or YAML to a value that is safe to walk: bounded depth, no key that reaches a prototype. */
export function parseText(body: Buffer, contentType: string): unknown {
  const text = decodeUtf8(body);
  if (contentType === 'application/json' || contentType.endsWith('+json')) return guard(parseJson(text), text);
  if (contentType === 'application/yaml' || contentType.endsWith('+yaml')) return guard(parseYamlText(text), text);
  throw unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf`,
  );
}

function decodeUtf8(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw badRequest('the body is not valid UTF-8');
  }
}

function parseJson(text: string): unknown {
  checkDepth(text);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badRequest(`couldn't get version/kind; json parse error: ${(error as Error).message}`);
  }
}

function parseYamlText(text: string): unknown {
  checkDepth(text);
  try {
    // The Kubernetes way to read YAML: by its JSON meaning, every key a string.
    return JSON.parse(
      JSON.stringify(parseYaml(text, { maxAliasCount: 100, uniqueKeys: true, stringKeys: true }) ?? null),
    );
  } catch (error) {
    throw badRequest(`error converting YAML to JSON: ${(error as Error).message}`);
  }
}

function checkDepth(text: string): void {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === 92) at += 1;
      else if (code === 34) inString = false;
    } else if (code === 34) inString = true;
    else if (code === 123 || code === 91) {
      depth += 1;
      if (depth > DEEPEST_NESTING) throw badRequest(`the body is nested more than ${DEEPEST_NESTING} levels deep`);
    } else if (code === 125 || code === 93) depth -= 1;
  }
}

/** `__proto__` is data in JSON and dynamite in JavaScript: refused by name, wherever it stands. */
function guard(value: unknown, text: string): unknown {
  if (/__proto__|\\u/i.test(text)) refuseProto(value, 0);
  return value;
}

function refuseProto(value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth > DEEPEST_NESTING) throw badRequest(`the body is nested more than ${DEEPEST_NESTING} levels deep`);
  if (Object.hasOwn(value, '__proto__')) throw badRequest('the key "__proto__" is not supported');
  for (const item of Object.values(value)) refuseProto(item, depth + 1);
}
