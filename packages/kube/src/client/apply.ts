import { createHash } from 'node:crypto';
import type { KubeObject, ResourceType } from '../schema/object.ts';
import type { KubeClient } from './client.ts';

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
  return { object: await client.apply(type, stamped, request), changed: true };
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
