import type { StoreAddress, StoredRecord, StoreView } from './store.ts';

/** Sorts namespace before name whatever characters they hold: no name contains NUL. */
const SEPARATOR = '\u0000';

/** All objects, ordered within their resource. */
export class ObjectTable implements StoreView {
  readonly #resources = new Map<string, Bucket>();

  get(address: StoreAddress): StoredRecord | undefined {
    return this.#resources.get(address.resource)?.records.get(keyOf(address));
  }

  list(resource: string, namespace?: string): StoredRecord[] {
    const bucket = this.#resources.get(resource);
    if (!bucket) return [];
    const { keys, records } = bucket;
    if (namespace === undefined) return keys.map((key) => records.get(key)!);
    const result: StoredRecord[] = [];
    const prefix = namespace + SEPARATOR;
    for (let at = lowerBound(keys, prefix); at < keys.length && keys[at]!.startsWith(prefix); at++) {
      result.push(records.get(keys[at]!)!);
    }
    return result;
  }

  put(record: StoredRecord): void {
    const { resource } = record.address;
    const bucket: Bucket = this.#resources.get(resource) ?? { keys: [], records: new Map() };
    this.#resources.set(resource, bucket);
    const key = keyOf(record.address);
    if (!bucket.records.has(key)) bucket.keys.splice(lowerBound(bucket.keys, key), 0, key);
    bucket.records.set(key, record);
  }

  remove(address: StoreAddress): void {
    const bucket = this.#resources.get(address.resource);
    const key = keyOf(address);
    if (bucket?.records.delete(key)) bucket.keys.splice(lowerBound(bucket.keys, key), 1);
  }

  clone(): ObjectTable {
    const copy = new ObjectTable();
    for (const [resource, { keys, records }] of this.#resources) {
      copy.#resources.set(resource, { keys: [...keys], records: new Map(records) });
    }
    return copy;
  }
}

interface Bucket {
  keys: string[];
  records: Map<string, StoredRecord>;
}

function keyOf(address: StoreAddress): string {
  return address.namespace + SEPARATOR + address.name;
}

/** The first place whose key is not smaller. */
function lowerBound(keys: string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keys[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
