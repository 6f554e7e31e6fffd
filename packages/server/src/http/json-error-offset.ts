/**
 * Where a text stops being JSON. `JSON.parse` knows but, depending on the error and the engine, does not tell; so
 * this reads it again, token by token, after it failed. RFC 8259, without recursion.
 */
const SPACE = /[ \t\n\r]*/y;
const SCALAR =
  /"(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/uy;

type Expecting = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end' | 'nothing';

export function jsonErrorOffset(text: string): number {
  const open: ('{' | '[')[] = [];
  let expecting: Expecting = 'value';
  let at = skip(SPACE, text, 0) ?? 0;
  while (at < text.length) {
    const next = step(text, at, { expecting, open });
    if (next === undefined) return at;
    expecting = next.expecting;
    at = skip(SPACE, text, next.at) ?? next.at;
  }
  return at;
}

interface State {
  expecting: Expecting;
  open: ('{' | '[')[];
}

function step(text: string, at: number, { expecting, open }: State): { at: number; expecting: Expecting } | undefined {
  const character = text[at];
  const closes = open.at(-1) === '{' ? '}' : ']';
  if (character === closes && open.length > 0 && expecting.endsWith('end')) {
    open.pop();
    return { at: at + 1, expecting: afterValue(open) };
  }
  switch (expecting) {
    case 'colon':
      return character === ':' ? { at: at + 1, expecting: 'value' } : undefined;
    case 'comma or end':
      if (character !== ',') return undefined;
      return { at: at + 1, expecting: open.at(-1) === '{' ? 'key' : 'value' };
    case 'key':
    case 'key or end': {
      const end = character === '"' ? skip(SCALAR, text, at) : undefined;
      return end === undefined ? undefined : { at: end, expecting: 'colon' };
    }
    case 'nothing':
      return undefined;
    default:
      return value(text, at, open);
  }
}

function value(text: string, at: number, open: ('{' | '[')[]): { at: number; expecting: Expecting } | undefined {
  const character = text[at];
  if (character === '{' || character === '[') {
    open.push(character);
    return { at: at + 1, expecting: character === '{' ? 'key or end' : 'value or end' };
  }
  const end = skip(SCALAR, text, at);
  return end === undefined ? undefined : { at: end, expecting: afterValue(open) };
}

function afterValue(open: readonly string[]): Expecting {
  return open.length === 0 ? 'nothing' : 'comma or end';
}

function skip(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
