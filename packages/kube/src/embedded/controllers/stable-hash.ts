/** Letters that neither spell words nor look alike, as Kubernetes uses for suffixes of names. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** A short suffix for names that is the same for equal values, whatever the order of their keys. */
export function stableHash(value: unknown, length = 10): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(stableJson(value))) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  let text = '';
  for (let index = 0; index < length; index++) {
    text += ALPHABET[Number(hash % 27n)];
    hash /= 27n;
  }
  return text;
}

/** JSON with sorted keys: equal values give equal text. */
export function stableJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

export function randomSuffix(newId: () => string): string {
  return stableHash(newId(), 5);
}
