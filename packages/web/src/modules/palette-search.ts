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
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
  const text = label.toLowerCase();
  const all = `${text} ${words.toLowerCase()}`;
  let score = 1;
  for (const word of wanted) {
    if (text.startsWith(word)) score += 4;
    else if (new RegExp(`[\\s\\-_./]${escapePattern(word)}`).test(` ${text}`)) score += 3;
    else if (text.includes(word)) score += 2;
    else if (all.includes(word)) score += 1;
    else return 0;
  }
  return score;
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

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
