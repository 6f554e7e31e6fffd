const HIDDEN = '[secret]';
/** Shorter than this a value is hidden only where it stands alone: taking every "a" out of a line tells nobody anything. */
const SHORT = 6;

/** Takes the values of secrets out of lines, as they are and as they stand in an address. */
export function redact(lines: readonly string[], values: readonly string[]): string[] {
  const patterns = [...new Set(values.flatMap(formsOf))].sort((a, b) => b.length - a.length).map(patternOf);
  return lines.map((line) => patterns.reduce((text, pattern) => text.replace(pattern, HIDDEN), line));
}

/** A value of several lines is looked for line by line, since a log may show any part of it. */
function formsOf(value: string): string[] {
  const parts = value.split(/\r?\n/).map((part) => part.trim());
  const quoted = parts.map((part) => JSON.stringify(part).slice(1, -1));
  const encoded = parts.map((part) => encodeURIComponent(part.toWellFormed()));
  return [...parts, ...quoted, ...encoded].filter((form) => form !== '');
}

function patternOf(form: string): RegExp {
  const literal = form.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(form.length < SHORT ? `(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])` : literal, 'gu');
}
