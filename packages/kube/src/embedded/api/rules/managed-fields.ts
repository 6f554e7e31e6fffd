import type { KubeObject } from '../../../schema/object.ts';
import type { Kind } from '../kind.ts';

export interface Tracking {
  manager: string;
  now: number;
  subresource?: string;
}

/** Records who set which field by an ordinary write. */
export function trackUpdate(_kind: Kind, _object: KubeObject, _old: KubeObject | undefined, _by: Tracking): void {
  // Comes with server-side apply.
}
