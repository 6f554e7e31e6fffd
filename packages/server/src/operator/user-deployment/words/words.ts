/**
 * Kubernetes says why it refuses something in the words of its programs. Here they become a sentence for people who know their service
 * but not Kubernetes, with the way out; what is in no table is shown as it came.
 */
export type Words = readonly (readonly [pattern: RegExp, words: (match: RegExpExecArray) => string | undefined])[];

export function firstOf(words: Words, text: string): string | undefined {
  for (const [pattern, say] of words) {
    const match = pattern.exec(text);
    const said = match && say(match);
    if (said) return said;
  }
  return undefined;
}

/** One full stop at the end, whatever the source wrote. */
export function sentence(text: string): string {
  return `${text.trim().replace(/\.+$/, '')}.`;
}

/** What happened, and why: in our words where there are some, else as it was said. */
export function because(what: string, { words, said }: { words: string | undefined; said: string }): string {
  return words === undefined ? sentence(`${what}: ${said}`) : `${what}. ${words}`;
}

/** "CPU", "memory": what a quota, a limit or a scheduler counts. */
export function amountName(resource: string): string {
  const plain = resource.replace(/^(requests|limits)\./, '');
  return AMOUNTS[plain] ?? plain;
}

const AMOUNTS: Readonly<Record<string, string>> = {
  cpu: 'CPU',
  storage: 'storage',
  'ephemeral-storage': 'disk for temporary files',
  persistentvolumeclaims: 'volumes',
};
