import type { KubeObject } from '../../../schema/object.ts';
import { KubeError } from '../../../schema/status.ts';

/** What etcd takes in one request by default; a real server passes its refusal on. */
const LARGEST_OBJECT_BYTES = 1.5 * 1024 * 1024;

export function checkSize(object: KubeObject): void {
  const bytes = Buffer.byteLength(JSON.stringify(object));
  if (bytes > LARGEST_OBJECT_BYTES) {
    throw new KubeError(
      413,
      'RequestEntityTooLarge',
      `etcdserver: request is too large: the object has ${bytes} bytes, the limit is ${LARGEST_OBJECT_BYTES}`,
    );
  }
}
