export interface Entry {
  id: string;
  author: string;
  message: string;
  createdAt: string;
}

export const LIMITS = { author: 80, message: 2000, bodyBytes: 16 * 1024 };

export type EntryInput = { author: string; message: string };

/** Trims, then names what is wrong in a sentence for the person who wrote it. */
export function parseEntry(input: Record<string, unknown>): { entry: EntryInput } | { problem: string } {
  const author = textOf(input.author) || 'Anonymous';
  const message = textOf(input.message);
  if (!message) return { problem: 'Write a message first.' };
  if ([...author].length > LIMITS.author) return { problem: `A name has at most ${LIMITS.author} characters.` };
  if ([...message].length > LIMITS.message) return { problem: `A message has at most ${LIMITS.message} characters.` };
  if (/\0/.test(author + message)) return { problem: 'A message cannot hold the character NUL.' };
  return { entry: { author, message } };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.replace(/\r\n/g, '\n').trim() : '';
}
