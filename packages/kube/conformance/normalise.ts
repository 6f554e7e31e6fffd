import { normalise as withoutVolatile } from '../src/embedded/api/testing/normalise.ts';

/** What stands for the parts of an answer that are another's in every run. */
export function normalise(seen: unknown, namespace: string): unknown {
  return scrub(withoutVolatile(JSON.parse(JSON.stringify(seen ?? null))), namespace);
}

/** The letters of generated names: no vowels, so that no words come of them. */
const LETTERS = '[bcdfghjklmnpqrstvwxz2456789]';
const PATTERNS: readonly [RegExp, string][] = [
  [new RegExp(`-${LETTERS}{8,10}-${LETTERS}{5}\\b`, 'g'), '-HASH-ID'],
  [new RegExp(`-${LETTERS}{8,10}\\b`, 'g'), '-HASH'],
  [new RegExp(`-${LETTERS}{5}\\b`, 'g'), '-ID'],
  [/continue=[^&\s]+/g, 'continue=TOKEN'],
  [/\b\d{1,3}(\.\d{1,3}){3}\b/g, 'ADDRESS'],
  [/\b\d{4}-\d\d-\d\dT[\d:.]+Z\b/g, 'TIME'],
];
const HASH_LABEL = 'pod-template-hash';

function scrub(value: unknown, namespace: string): unknown {
  if (typeof value === 'string') return scrubText(value, namespace);
  if (Array.isArray(value)) return value.map((item) => scrub(item, namespace));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      scrubText(name, namespace),
      name === HASH_LABEL ? 'HASH' : scrub(item, namespace),
    ]),
  );
}

function scrubText(text: string, namespace: string): string {
  const without = text.replaceAll(namespace, 'NAMESPACE');
  return PATTERNS.reduce((left, [pattern, sign]) => left.replace(pattern, sign), without);
}
