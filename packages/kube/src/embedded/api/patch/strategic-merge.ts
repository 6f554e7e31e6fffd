import { deepEqual } from '../../store/deep-equal.ts';
import { badRequest } from '../errors.ts';
import { itemSchema, propertySchema, type Schema } from '../schema.ts';
import { isRecord } from './merge-patch.ts';

/**
 * Strategic merge patch: as a merge patch, but lists whose schema has a merge key are merged item by item. Directives:
 * `$patch: replace | delete | merge`, `$deleteFromPrimitiveList/field`, `$setElementOrder/field`, `$retainKeys`.
 */
type Fields = Record<string, unknown>;

const DELETE_FROM = '$deleteFromPrimitiveList/';
const ORDER = '$setElementOrder/';

export function strategicMerge(schema: Schema | undefined, target: Fields, patch: Fields): Fields {
  if (patch.$patch === 'replace') return withoutDirectives(patch);
  if (patch.$patch === 'delete') return {};
  const result = retained({ ...target }, patch);
  for (const [key, value] of Object.entries(patch)) {
    if (key === '$patch' || key === '$retainKeys' || key.startsWith(ORDER)) continue;
    if (key.startsWith(DELETE_FROM)) deleteFromList(result, key.slice(DELETE_FROM.length), value);
    else mergeField(schema, result, { key, value, patch });
  }
  return orderLists(schema, result, patch);
}

function mergeField(
  schema: Schema | undefined,
  result: Fields,
  { key, value, patch }: { key: string; value: unknown; patch: Fields },
): void {
  const field = schema && propertySchema(schema, key);
  const current = Object.hasOwn(result, key) ? result[key] : undefined;
  if (value === null) delete result[key];
  else if (isRecord(value)) {
    if (value.$patch === 'delete') delete result[key];
    else
      result[key] = replacesWhole(field)
        ? withoutDirectives(value)
        : strategicMerge(field, isRecord(current) ? current : {}, value);
  } else if (Array.isArray(value))
    result[key] = mergeList(field, Array.isArray(current) ? current : [], { value, key, patch });
  else result[key] = value;
}

function replacesWhole(field: Schema | undefined): boolean {
  return field?.['x-kubernetes-patch-strategy']?.split(',').includes('replace') ?? false;
}

function mergeList(
  field: Schema | undefined,
  current: unknown[],
  { value, key }: { value: unknown[]; key: string; patch: Fields },
): unknown[] {
  const strategies = field?.['x-kubernetes-patch-strategy']?.split(',') ?? [];
  if (value.some((item) => isRecord(item) && item.$patch === 'replace')) {
    return value.filter((item) => !(isRecord(item) && item.$patch === 'replace'));
  }
  if (!strategies.includes('merge')) return value;
  const mergeKey = field?.['x-kubernetes-patch-merge-key'];
  if (!mergeKey) return [...current, ...value.filter((item) => !current.some((known) => deepEqual(known, item)))];
  return mergeItems(itemSchema(field!), current, { value, key, mergeKey });
}

function mergeItems(
  items: Schema | undefined,
  current: unknown[],
  { value, key, mergeKey }: { value: unknown[]; key: string; mergeKey: string },
): unknown[] {
  const result = [...current] as Fields[];
  for (const item of value) {
    if (!isRecord(item) || !Object.hasOwn(item, mergeKey)) {
      throw badRequest(`map: ${JSON.stringify(item)} does not contain declared merge key: ${mergeKey} (in ${key})`);
    }
    const at = result.findIndex((known) => isRecord(known) && deepEqual(known[mergeKey], item[mergeKey]));
    if (item.$patch === 'delete') {
      if (at >= 0) result.splice(at, 1);
    } else if (at >= 0) result[at] = strategicMerge(items, result[at]!, item);
    else result.push(strategicMerge(items, {}, item));
  }
  return result;
}

function deleteFromList(result: Fields, key: string, values: unknown): void {
  const current = Object.hasOwn(result, key) ? result[key] : undefined;
  if (Array.isArray(current) && Array.isArray(values))
    result[key] = current.filter((item) => !values.some((gone) => deepEqual(item, gone)));
}

/** `$setElementOrder/list` names the items the patch's author knew, in their order; others keep their place between them. */
function orderLists(schema: Schema | undefined, result: Fields, patch: Fields): Fields {
  for (const [directive, order] of Object.entries(patch)) {
    if (!directive.startsWith(ORDER) || !Array.isArray(order)) continue;
    const key = directive.slice(ORDER.length);
    const list = Object.hasOwn(result, key) ? result[key] : undefined;
    if (!Array.isArray(list)) continue;
    const mergeKey = schema && propertySchema(schema, key)?.['x-kubernetes-patch-merge-key'];
    result[key] = reorder(list, (item) => order.findIndex((wanted) => sameItem(item, wanted, mergeKey)));
  }
  return result;
}

function sameItem(item: unknown, wanted: unknown, mergeKey: string | undefined): boolean {
  if (mergeKey === undefined) return deepEqual(item, wanted);
  return isRecord(item) && isRecord(wanted) && deepEqual(item[mergeKey], wanted[mergeKey]);
}

function reorder(list: unknown[], placeOf: (item: unknown) => number): unknown[] {
  const places = list.map(placeOf);
  const ordered = list
    .map((item, at) => ({ item, place: places[at]! }))
    .filter(({ place }) => place >= 0)
    .sort((left, right) => left.place - right.place);
  return list.map((item, at) => (places[at]! < 0 ? item : ordered.shift()!.item));
}

function retained(target: Fields, patch: Fields): Fields {
  const keep = patch.$retainKeys;
  if (!Array.isArray(keep)) return target;
  return Object.fromEntries(Object.entries(target).filter(([key]) => keep.includes(key)));
}

function withoutDirectives(value: Fields): Fields {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !key.startsWith('$')));
}
