import { createHash } from 'node:crypto';
import type { KubeObject, ResourceType } from '../schema/object.ts';
import type { KubeClient } from './client.ts';

/** The store gives it to the first thing ever written, which is none of what anybody applies. */
const VERSION_OF_NOTHING = '1';

/**
 * What is wanted, to be applied to the very state that was seen and to no other; the server answers Conflict otherwise. Where
 * nothing was seen the apply makes the object and never changes one that somebody has made meanwhile: server-side apply
 * compares the version of an object that is there, and asks for none when there is none.
 */
export function pinnedTo<T extends KubeObject>(wanted: T, seen: KubeObject | undefined): T {
  const { uid, resourceVersion } = seen?.metadata ?? { resourceVersion: VERSION_OF_NOTHING };
  const precondition = { ...(uid !== undefined && { uid }), ...(resourceVersion !== undefined && { resourceVersion }) };
  return { ...wanted, metadata: { ...wanted.metadata, ...precondition } };
}

export interface ApplyIfChangedOptions<T extends KubeObject> {
  desired: T;
  /** As a cache has it; undefined when there is none. */
  current: T | undefined;
  fieldManager: string;
  /** An annotation of this name holds a hash of what was applied last. */
  hashAnnotation: string;
  signal?: AbortSignal;
}

/**
 * Server-side apply, but no request when it would change nothing: an unchanged world costs no writes. Two things call for
 * one: another desired state than the one applied last, fields that are gone from it included (the hash tells), and a current
 * state that was moved away from it by somebody else (the comparison tells).
 */
export async function applyIfChanged<T extends KubeObject>(
  client: Pick<KubeClient, 'apply'>,
  type: ResourceType,
  options: ApplyIfChangedOptions<T>,
): Promise<{ object: T; changed: boolean }> {
  const { desired, current, fieldManager, hashAnnotation, signal } = options;
  const hash = hashOf(desired);
  const annotations = { ...desired.metadata.annotations, [hashAnnotation]: hash };
  const stamped = { ...desired, metadata: { ...desired.metadata, annotations } };
  if (current && contains(current, stamped)) return { object: current, changed: false };
  const request = { fieldManager, force: true, ...(signal && { signal }) };
  return { object: await client.apply(type, pinnedTo(stamped, current), request), changed: true };
}

/** Everything that is wanted is there; what the server or others added does not matter. */
export function contains(current: unknown, wanted: unknown): boolean {
  if (wanted === undefined) return true;
  if (Array.isArray(wanted)) {
    if (!Array.isArray(current) || current.length !== wanted.length) return false;
    return wanted.every((item, index) => contains(current[index], item));
  }
  if (typeof wanted === 'object' && wanted !== null) {
    if (typeof current !== 'object' || current === null || Array.isArray(current))
      return Object.keys(wanted).length === 0;
    return Object.entries(wanted).every(([key, value]) => contains((current as Record<string, unknown>)[key], value));
  }
  return Object.is(current, wanted);
}

/** The order of fields says nothing, so it does not count. */
function hashOf(value: unknown): string {
  const sorted = (_key: string, part: unknown): unknown => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  };
  return createHash('sha256').update(JSON.stringify(value, sorted)).digest('hex').slice(0, 16);
}
