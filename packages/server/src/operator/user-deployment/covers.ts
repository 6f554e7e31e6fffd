import { quantity } from '@berth/core/quantity';

/**
 * Does the object hold every field that is wanted, with that value? What the server or others added is no difference. Lists
 * of things with an identity are compared by it, so that something injected between them is none either.
 */
export function covers(actual: unknown, wanted: unknown, path = ''): boolean {
  if (wanted === undefined) return true;
  if (Array.isArray(wanted)) return coversList(actual ?? [], wanted, path);
  if (isRecord(wanted)) {
    // The server drops an empty object or list; wanting nothing in particular is met by that.
    if (actual === undefined) return isEmpty(wanted);
    return (
      isRecord(actual) && Object.entries(wanted).every(([key, each]) => covers(actual[key], each, `${path}.${key}`))
    );
  }
  // The server leaves out what is empty: an empty variable comes back without its value.
  if (actual === undefined) return wanted === '' || wanted === 0;
  return actual === wanted || (AMOUNT_PATH.test(path) && sameAmount(actual, wanted));
}

/** Fields that tell the items of one list apart, in the order in which they are tried. */
const IDENTITIES = ['mountPath', 'containerPort', 'uid', 'host', 'secretKey', 'name'];
const AMOUNT_PATH = /\.(requests|limits)\.[^.]+$/;

function coversList(actual: unknown, wanted: unknown[], path: string): boolean {
  if (!Array.isArray(actual)) return false;
  if (wanted.length === 0) return true;
  const identity = IDENTITIES.find((field) => wanted.every((item) => isRecord(item) && item[field] !== undefined));
  if (identity === undefined) {
    return actual.length === wanted.length && wanted.every((item, at) => covers(actual[at], item, path));
  }
  return wanted.every((item) => {
    const found = actual.find(
      (each) => isRecord(each) && each[identity] === (item as Record<string, unknown>)[identity],
    );
    return found !== undefined && covers(found, item, path);
  });
}

/** The server writes amounts its own way: `0.5` comes back as `500m`. */
function sameAmount(a: unknown, b: unknown): boolean {
  try {
    return quantity(String(a)) === quantity(String(b));
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEmpty(value: Record<string, unknown>): boolean {
  return Object.values(value).every((each) => each === undefined || (isRecord(each) && isEmpty(each)));
}
