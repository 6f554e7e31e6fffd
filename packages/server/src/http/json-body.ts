import { invalidInput } from '@berth/core/errors';
import { formatPath } from '@berth/core/parse';
import { jsonErrorOffset } from './json-error-offset.ts';

/** Deeper than anything we take, and far from what recursion bears. */
const MAX_DEPTH = 64;

/** Reads a request's body. Refuses what would harm or be changed on the way: bad UTF-8, halves of characters, `__proto__`. */
export function parseJsonBody(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined;
  const text = decode(bytes);
  const value = parse(text);
  check(value);
  return value;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalidInput('The body', [{ path: '', message: 'is not UTF-8 text; save it as UTF-8 and send it again' }]);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const before = text.slice(0, jsonErrorOffset(text));
    const line = before.split('\n').length;
    const column = before.length - before.lastIndexOf('\n');
    throw invalidInput('The body', [{ path: '', message: `is not JSON: look at line ${line}, column ${column}` }]);
  }
}

type Path = (string | number)[];

function check(root: unknown): void {
  const open: { value: unknown; path: Path }[] = [{ value: root, path: [] }];
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    const { value, path } = item;
    if (typeof value === 'string' && !value.isWellFormed()) throw refused(path, 'is not valid Unicode text');
    if (typeof value !== 'object' || value === null) continue;
    if (path.length >= MAX_DEPTH) throw refused([], `is nested deeper than ${MAX_DEPTH} levels`);
    for (const [key, child] of Object.entries(value)) {
      if (key === '__proto__') throw refused(path, 'must not have a field "__proto__"');
      if (!key.isWellFormed()) throw refused(path, 'has a field whose name is not valid Unicode text');
      open.push({ value: child, path: [...path, Array.isArray(value) ? Number(key) : key] });
    }
  }
}

function refused(path: Path, message: string) {
  return invalidInput('The body', [{ path: formatPath(path), message }]);
}
