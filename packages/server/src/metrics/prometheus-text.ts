/** One sample of the Prometheus text format. */
export interface TextSample {
  labels: Record<string, string>;
  value: number;
}

const LABEL = /\s*([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"\s*,?/y;
const ESCAPES: Record<string, string> = { '\\n': '\n', '\\"': '"', '\\\\': '\\' };

/**
 * The samples of one metric: https://prometheus.io/docs/instrumenting/exposition_formats/. Lines that are not of it, or are not whole, are
 * skipped.
 */
export function readSamples(text: string, name: string): TextSample[] {
  return text.split('\n').flatMap((line) => (line.startsWith(name) ? (readSample(line.slice(name.length)) ?? []) : []));
}

function readSample(rest: string): TextSample | undefined {
  const labels: Record<string, string> = {};
  let at = 0;
  if (rest.startsWith('{')) {
    LABEL.lastIndex = 1;
    for (let match = LABEL.exec(rest); match; match = LABEL.exec(rest)) {
      const [, key = '', value = ''] = match;
      labels[key] = value.replace(/\\./g, (written) => ESCAPES[written] ?? written);
      at = LABEL.lastIndex;
    }
    at = rest.indexOf('}', Math.max(at, 1)) + 1;
    if (at === 0) return undefined;
  } else if (!/^\s/.test(rest)) return undefined;
  const [number = ''] = rest.slice(at).trim().split(/\s+/);
  const value = Number(number);
  return number === '' || !Number.isFinite(value) ? undefined : { labels, value };
}
