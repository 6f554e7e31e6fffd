/** Finding things by a few letters. */
export interface PaletteItem {
  id: string;
  label: string;
  /** Also found by these words. */
  words?: string;
}

/**
 * How well a text fits what was typed: 0 is not at all. Every word must fit; the start of the text beats the start of a word,
 * that beats the middle of one.
 */
export function matchScore(query: string, label: string, words = ''): number {
  const text = label.toLowerCase();
  const more = words.toLowerCase();
  let score = 1;
  for (const word of wordsOf(query)) {
    if (text.startsWith(word)) score += 4;
    else if (startsAWord(text, word)) score += 3;
    else if (text.includes(word)) score += 2;
    else if (more.includes(word)) score += 1;
    else return 0;
    // Who types all of a name means it, and not one that begins with it.
    if (` ${text.replace(/…$/, '')} `.includes(` ${word} `)) score += 0.5;
  }
  return score;
}

/** How many of the words typed are in a text. */
export function wordsFound(query: string, text: string): number {
  const all = text.toLowerCase();
  return wordsOf(query).filter((word) => all.includes(word)).length;
}

/** The best few, best first, otherwise in the given order. */
export function bestMatches<T extends PaletteItem>(items: readonly T[], query: string, most: number): T[] {
  return items
    .map((item, index) => ({ item, index, score: matchScore(query, item.label, item.words) }))
    .filter((each) => each.score > 0)
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, most)
    .map((each) => each.item);
}

/** Enter takes the first entry: the group goes first whose best one has most of what was typed in its name. */
export function bestGroupsFirst<G extends { entries: readonly PaletteItem[] }>(
  groups: readonly G[],
  query: string,
): G[] {
  const found = (group: G) => fittingWords(query, group.entries[0]?.label ?? '');
  return groups.toSorted((a, b) => found(b) - found(a));
}

/** How many of the words typed begin a word of a text. */
function fittingWords(query: string, text: string): number {
  return wordsOf(query).filter((word) => startsAWord(text.toLowerCase(), word)).length;
}

function wordsOf(query: string): string[] {
  return query.toLowerCase().split(/\s+/).filter(Boolean);
}

const BETWEEN_WORDS = ' -_./';

function startsAWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    if (at === 0 || BETWEEN_WORDS.includes(text.charAt(at - 1))) return true;
  }
  return false;
}
