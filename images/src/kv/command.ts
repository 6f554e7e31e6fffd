import type { Reply } from './resp.ts';
import { CommandError, type Store } from './store.ts';

export interface Command {
  /** Words with the name: a number is exact, a negative one is the least. */
  arity: number;
  /** Whether it may change something: such a command is written to the log. */
  writes?: boolean;
  run(store: Store, words: string[]): Reply;
  /** What to log instead, where running it again later would give something else. */
  logAs?(store: Store, words: string[], reply: Reply): string[][];
}

export type CommandTable = Record<string, Command>;

export const NOT_AN_INTEGER = 'ERR value is not an integer or out of range';
export const SYNTAX = 'ERR syntax error';

export function integer(text: string | undefined): number {
  const number = /^-?\d{1,16}$/.test(text ?? '') ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(number)) throw new CommandError(NOT_AN_INTEGER);
  return number;
}

/** The names and values of `NAME VALUE NAME VALUE ...`. */
export function pairsOf(words: string[], command: string): [string, string][] {
  if (words.length === 0 || words.length % 2 !== 0)
    throw new CommandError(`ERR wrong number of arguments for '${command}' command`);
  const pairs: [string, string][] = [];
  for (let at = 0; at < words.length; at += 2) pairs.push([words[at] ?? '', words[at + 1] ?? '']);
  return pairs;
}

/** `KEYS` and `SCAN` patterns: `*`, `?`, `[abc]`, `[^abc]`, `[a-z]` and `\` before what stands for itself. */
export function globPattern(glob: string): RegExp {
  let source = '';
  for (let at = 0; at < glob.length; at++) {
    const character = glob.charAt(at);
    if (character === '*') source += '[^]*';
    else if (character === '?') source += '[^]';
    else if (character === '[') {
      const end = glob.indexOf(']', at + 1);
      if (end < 0) source += '\\[';
      else {
        source += `[${glob.slice(at + 1, end).replace(/[\\[]/g, '\\$&')}]`;
        at = end;
      }
    } else {
      if (character === '\\' && at + 1 < glob.length) at += 1;
      source += glob.charAt(at).replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
    }
  }
  // Several stars in a row mean one, and would take for ever to try.
  return new RegExp(`^${source.replace(/(\[\^\]\*)+/g, '[^]*')}$`);
}

/** From and to of a range that may be counted from the end, as `slice` wants them. */
export function sliceBounds(length: number, first: string | undefined, last: string | undefined): [number, number] {
  const at = (text: string | undefined): number => {
    const index = integer(text);
    return index < 0 ? length + index : index;
  };
  const [from, to] = [Math.max(0, at(first)), Math.min(length - 1, at(last))];
  return from > to ? [0, 0] : [from, to + 1];
}
