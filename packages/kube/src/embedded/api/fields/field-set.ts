/**
 * Sets of field paths, as server-side apply keeps them in `managedFields`. Path elements are those of FieldsV1: `f:name` a field,
 * `k:{"name":"x"}` a list item by its keys, `v:"x"` an item of a set. A node may be a member itself, have children, or both.
 */
export interface FieldSet {
  member: boolean;
  children: Map<string, FieldSet>;
}

export function emptySet(): FieldSet {
  return { member: false, children: new Map() };
}

export function isEmpty({ member, children }: FieldSet): boolean {
  return !member && children.size === 0;
}

/** The node at the element, made when it is missing. */
export function childOf(set: FieldSet, element: string): FieldSet {
  let child = set.children.get(element);
  if (!child) {
    child = emptySet();
    set.children.set(element, child);
  }
  return child;
}

type Combine = (left: boolean, right: boolean) => boolean;

export function union(left: FieldSet, right: FieldSet): FieldSet {
  return combine(left, right, (a, b) => a || b);
}

export function difference(left: FieldSet, right: FieldSet): FieldSet {
  return combine(left, right, (a, b) => a && !b);
}

export function intersection(left: FieldSet, right: FieldSet): FieldSet {
  return combine(left, right, (a, b) => a && b);
}

const nothing = emptySet();

function combine(left: FieldSet, right: FieldSet, decide: Combine): FieldSet {
  const result: FieldSet = { member: decide(left.member, right.member), children: new Map() };
  for (const element of new Set([...left.children.keys(), ...right.children.keys()])) {
    const child = combine(left.children.get(element) ?? nothing, right.children.get(element) ?? nothing, decide);
    if (!isEmpty(child)) result.children.set(element, child);
  }
  return result;
}

/** The members in which, at whatever depth, the other set holds nothing: a map that was empty is not gone once it has an entry. */
export function apartFrom(set: FieldSet, other: FieldSet): FieldSet {
  const children = [...set.children].flatMap(([element, child]) => {
    const left = apartFrom(child, other.children.get(element) ?? nothing);
    return isEmpty(left) ? [] : [[element, left] as const];
  });
  return { member: set.member && isEmpty(other), children: new Map(children) };
}

export function has(set: FieldSet, path: string[]): boolean {
  let node: FieldSet | undefined = set;
  for (const element of path) node = node?.children.get(element);
  return node?.member ?? false;
}

/** Drops a node and everything below. */
export function without(set: FieldSet, path: string[]): FieldSet {
  const [first, ...rest] = path;
  const child = first === undefined ? undefined : set.children.get(first);
  if (!child) return set;
  const children = new Map(set.children);
  const left = rest.length === 0 ? emptySet() : without(child, rest);
  if (isEmpty(left)) children.delete(first!);
  else children.set(first!, left);
  return { member: set.member, children };
}

/** All members, parents first. */
export function pathsOf(set: FieldSet, prefix: string[] = []): string[][] {
  const own = set.member ? [prefix] : [];
  return [...own, ...[...set.children].flatMap(([element, child]) => pathsOf(child, [...prefix, element]))];
}

type FieldsV1 = { [element: string]: FieldsV1 };

export function toFieldsV1(set: FieldSet): FieldsV1 {
  const result: FieldsV1 = {};
  if (set.member && set.children.size > 0) result['.'] = {};
  for (const element of [...set.children.keys()].sort()) {
    Object.defineProperty(result, element, {
      value: toFieldsV1(set.children.get(element)!),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return result;
}

export function fromFieldsV1(fields: unknown, root = true): FieldSet {
  const result = emptySet();
  const entries = typeof fields === 'object' && fields !== null ? Object.entries(fields) : [];
  result.member = !root && entries.length === 0;
  for (const [element, child] of entries) {
    if (element === '.') result.member = true;
    else result.children.set(element, fromFieldsV1(child, false));
  }
  return result;
}

/** As conflicts name it: `.spec.containers[name="a"].image`. */
export function describePath(path: string[]): string {
  return path
    .map((element) => {
      const rest = element.slice(2);
      if (element.startsWith('f:')) return `.${rest}`;
      if (element.startsWith('v:')) return `[=${rest}]`;
      const keys = Object.entries(JSON.parse(rest) as Record<string, unknown>);
      return `[${keys.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(',')}]`;
    })
    .join('');
}
