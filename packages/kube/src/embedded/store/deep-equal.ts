/** Whether two JSON values are the same, whatever the order of their keys. */
export function deepEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left)) {
    return Array.isArray(right) && left.length === right.length && left.every((item, at) => deepEqual(item, right[at]));
  }
  if (Array.isArray(right)) return false;
  return sameFields(left as Record<string, unknown>, right as Record<string, unknown>);
}

/** A field that is undefined counts as absent, as it does in JSON. */
function sameFields(left: Record<string, unknown>, right: Record<string, unknown>): boolean {
  let present = 0;
  for (const key of Object.keys(left)) {
    if (left[key] === undefined) continue;
    if (!Object.hasOwn(right, key) || !deepEqual(left[key], right[key])) return false;
    present += 1;
  }
  for (const key of Object.keys(right)) if (right[key] !== undefined) present -= 1;
  return present === 0;
}
