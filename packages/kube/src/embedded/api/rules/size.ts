import type { KubeObject } from '../../../schema/object.ts';
import { plainError } from '../errors.ts';

/** What etcd takes in one request by default; a real server passes its refusal on as it is. */
const LARGEST_OBJECT_BYTES = 1.5 * 1024 * 1024;

export function checkSize(object: KubeObject): void {
  const bytes = Buffer.byteLength(JSON.stringify(object));
  if (bytes > LARGEST_OBJECT_BYTES) throw plainError(500, 'etcdserver: request is too large');
}
