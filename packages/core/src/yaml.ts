import {
  Composer,
  type CST,
  type Document,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  Parser,
  type YAMLMap,
} from 'yaml';
import { type BerthError, type FieldError, invalidInput } from './errors.ts';

/**
 * The one YAML reader. Strings stay strings: where the schema wants text, the source is taken as written, so `NO`, `0o14`,
 * `1e3` and `1.10` need no quotes. Duplicate keys, several documents, tabs and alias bombs are errors with a line number.
 */
export const MAX_YAML_BYTES = 1024 * 1024;
const MAX_ALIASES = 100;
/** What reads it goes into itself for each level: without a bound a text of brackets ends the process. */
const MAX_DEPTH = 100;
/** As written, and then with what aliases stand for; the largest of templates has a tenth of it. */
const MAX_NODES = 100_000;
/** Nobody reads more at once, and each costs a look through the text. */
export const MAX_YAML_ERRORS = 20;

/** Its own search for keys that are there twice compares each with each: some thousands of keys stop the process for a minute. */
const READING = { uniqueKeys: false, prettyErrors: false, merge: false, version: '1.2' } as const;

/** The parts of a JSON Schema that decide how a scalar is read. */
export interface SchemaShape {
  type?: string | string[];
  properties?: Record<string, SchemaShape>;
  additionalProperties?: SchemaShape | boolean;
  items?: SchemaShape | boolean;
  anyOf?: SchemaShape[];
  oneOf?: SchemaShape[];
  const?: unknown;
}

export interface YamlSource {
  value: unknown;
  /** The line (from 1) of the closest node to a path, for pointing at what a schema refused. */
  lineOf(path: readonly PropertyKey[]): number;
}

/** Reads one document. Throws `invalid_input` with lines in the messages. */
export function readYaml(text: string, shape: SchemaShape, what: string): YamlSource {
  if (text.length > MAX_YAML_BYTES) {
    throw invalidInput(what, [{ path: '', message: `is larger than ${MAX_YAML_BYTES} bytes` }]);
  }
  const lines = new LineCounter();
  const tokens = [...new Parser(lines.addNewLine).parse(text)];
  refuseExcess(tokens, what);
  const documents = [...new Composer(READING).compose(tokens)];
  const [document, second] = documents;
  if (!document) throw invalidInput(what, [{ path: '', message: 'is empty' }]);
  if (second) {
    const line = lines.linePos(second.range[0]).line;
    throw invalidInput(what, [
      { path: '', message: `line ${line}: a second document starts here; one file holds one` },
    ]);
  }
  const lineAt = (offset: number | undefined) => lines.linePos(offset ?? 0).line;
  const errors: FieldError[] = document.errors.slice(0, MAX_YAML_ERRORS).map(({ pos, message }) => ({
    path: '',
    message: `line ${lineAt(pos[0])}: ${message}`,
  }));
  if (errors.length > 0) throw invalidInput(what, errors);
  const context = { aliases: 0, nodes: 0, document, what, lineAt };
  return {
    value: toValue(document.contents as Node | null, shape, context),
    lineOf: (path) => lines.linePos(closestNode(document.contents as Node | null, path)?.range?.[0] ?? 0).line,
  };
}

/** Before anything is made of them: what follows takes seconds for some hundred thousand. */
function refuseExcess(tokens: readonly CST.Token[], what: string): void {
  let level: CST.Token[] = [...tokens];
  let seen = 0;
  for (let depth = 0; level.length > 0; depth++) {
    seen += level.length;
    if (seen > MAX_NODES) throw tooMany(what);
    if (depth > MAX_DEPTH) {
      throw invalidInput(what, [{ path: '', message: `is nested more than ${MAX_DEPTH} levels deep` }]);
    }
    level = level.flatMap(inside);
  }
}

function tooMany(what: string): BerthError {
  return invalidInput(what, [{ path: '', message: `holds more than ${MAX_NODES} values` }]);
}

function inside(token: CST.Token): CST.Token[] {
  if (token.type === 'document') return token.value ? [token.value] : [];
  if (!('items' in token)) return [];
  return token.items.flatMap(({ key, value }) => [key, value].filter((each) => !!each));
}

interface Context {
  aliases: number;
  document: Document;
  nodes: number;
  what: string;
  lineAt(offset: number | undefined): number;
}

function toValue(node: Node | null, shape: SchemaShape | undefined, context: Context): unknown {
  if (node === null) return null;
  context.nodes += 1;
  if (context.nodes > MAX_NODES) throw tooMany(context.what);
  if (isScalar(node)) {
    const value = scalar(node, shape);
    if (typeof value !== 'string' || value.isWellFormed()) return value;
    const line = context.lineAt(node.range?.[0]);
    throw invalidInput(context.what, [{ path: '', message: `line ${line}: is not valid Unicode text` }]);
  }
  if (isSeq(node)) return node.items.map((item) => toValue(item as Node, itemsOf(shape), context));
  if (isMap(node)) {
    // Null prototype and own properties only: a key such as __proto__ is data like any other.
    const branch = branchOf(shape, node);
    const keys = new Set<string>();
    const entries = node.items.map((pair) => {
      const key = isScalar(pair.key) ? (pair.key.source ?? String(pair.key.value)) : String(pair.key);
      if (keys.has(key)) throw twice(pair.key as Node, key, context);
      keys.add(key);
      return [key, toValue(pair.value as Node | null, propertyOf(branch, key), context)] as const;
    });
    return Object.fromEntries(entries);
  }
  context.aliases += 1;
  if (context.aliases > MAX_ALIASES)
    throw invalidInput(context.what, [{ path: '', message: `uses more than ${MAX_ALIASES} aliases` }]);
  const target =
    'resolve' in node ? (node as { resolve(doc: unknown): Node | undefined }).resolve(context.document) : undefined;
  return toValue(target ?? null, shape, context);
}

function twice(node: Node, key: string, { what, lineAt }: Context): BerthError {
  return invalidInput(what, [
    { path: '', message: `line ${lineAt(node.range?.[0])}: the key "${key}" is there twice` },
  ]);
}

function scalar(node: { value: unknown; source?: string; type?: string }, shape: SchemaShape | undefined): unknown {
  const plain = node.type === 'PLAIN';
  if (!plain) return node.value;
  if (wants(shape, 'string') && !wants(shape, 'number') && !wants(shape, 'integer') && !wants(shape, 'boolean')) {
    return node.source ?? String(node.value ?? '');
  }
  return node.value;
}

function wants(shape: SchemaShape | undefined, type: string): boolean {
  if (!shape) return false;
  return [shape, ...(shape.anyOf ?? [])].some((each) => [each.type].flat().includes(type));
}

/** Of a union, the alternative whose constants (`type: number`) the mapping carries. */
function branchOf(shape: SchemaShape | undefined, node: YAMLMap): SchemaShape | undefined {
  const branches = shape?.oneOf ?? shape?.anyOf;
  if (!branches) return shape;
  const fits = (branch: SchemaShape) =>
    Object.entries(branch.properties ?? {}).every(
      ([key, property]) => property.const === undefined || node.get(key) === property.const,
    );
  return branches.find(fits) ?? shape;
}

function itemsOf(shape: SchemaShape | undefined): SchemaShape | undefined {
  return typeof shape?.items === 'object' ? shape.items : undefined;
}

function propertyOf(shape: SchemaShape | undefined, key: string): SchemaShape | undefined {
  if (!shape) return undefined;
  const own = shape.properties && Object.hasOwn(shape.properties, key) ? shape.properties[key] : undefined;
  return own ?? (typeof shape.additionalProperties === 'object' ? shape.additionalProperties : undefined);
}

function closestNode(root: Node | null, path: readonly PropertyKey[]): Node | undefined {
  let node: Node | null | undefined = root;
  for (const part of path) {
    const next: unknown = isMap(node)
      ? node.get(String(part), true)
      : isSeq(node)
        ? node.get(Number(part), true)
        : undefined;
    if (!next) break;
    node = next as Node;
  }
  return node ?? undefined;
}
