import type { Deployment } from '@berth/core/deployment';
import type { Phase } from '@berth/core/user-deployment';
import type { CliContext, CliOutput } from './context.ts';

const COLOURS = { red: 31, green: 32, yellow: 33, grey: 90, bold: 1 } as const;
export type Colour = keyof typeof COLOURS;

export function paint(output: CliOutput, colour: Colour, text: string): string {
  return output.colours ? `\x1b[${COLOURS[colour]}m${text}\x1b[0m` : text;
}

/** Columns as wide as their widest cell. An empty cell is a dash, so that columns can be counted. */
export function table(output: CliOutput, titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => (cell === '' ? '-' : oneLine(cell))));
  const widths = titles.map((title, column) =>
    Math.max(...[title, ...cells.map((row) => row[column] ?? '')].map(width)),
  );
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) =>
        column === row.length - 1 ? cell : cell + ' '.repeat((widths[column] ?? 0) - width(cell)),
      )
      .join('  ');
  return [paint(output, 'grey', line(titles)), ...cells.map(line)].map((text) => `${text}\n`).join('');
}

/** `name: value` lines, aligned. Absent values are left out. */
export function facts(output: CliOutput, entries: readonly (readonly [string, string | undefined])[]): string {
  const shown = entries.filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '');
  const widest = Math.max(...shown.map(([name]) => name.length));
  return shown
    .map(
      ([name, value]) =>
        `${paint(output, 'grey', `${name}:`)}${' '.repeat(widest - name.length + 1)}${oneLine(value)}\n`,
    )
    .join('');
}

export function paintPhase(output: CliOutput, phase: Phase): string {
  const colours: Record<Phase, Colour> = {
    Running: 'green',
    Failing: 'red',
    Pending: 'yellow',
    Starting: 'yellow',
    Updating: 'yellow',
    Deleting: 'yellow',
    Stopped: 'grey',
  };
  return paint(output, colours[phase], phase);
}

/** The state in words, with what is not told by one word. */
export function describeState(output: CliOutput, { phase, paused, update }: Deployment): string {
  const more = update?.state === 'stopped' ? 'update stopped' : paused ? 'paused' : undefined;
  return more === undefined
    ? paintPhase(output, phase)
    : `${paintPhase(output, phase)}, ${paint(output, 'yellow', more)}`;
}

/** How long ago, in the largest unit that says something: `5m`, `3h`, `12d`. */
export function age(since: string, now: Date): string {
  const seconds = Math.max(0, Math.floor((now.getTime() - new Date(since).getTime()) / 1000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** In the largest unit that leaves a number of at least one: `256 MiB`, `1.5 GiB`. */
export function bytes(count: number): string {
  const unit = Math.min(UNITS.length - 1, count < 1 ? 0 : Math.floor(Math.log2(count) / 10));
  const value = count / 1024 ** unit;
  return `${value < 10 && unit > 0 ? Number(value.toFixed(1)) : Math.round(value)} ${UNITS[unit]}`;
}

/** Cores: `0.05`, `1.5`. */
export function cores(count: number): string {
  return count === 0 ? '0' : count < 0.1 ? count.toFixed(3) : count.toFixed(2);
}

export type OutputFormat = 'table' | 'json';

/** For people as a table, for machines as the API's own JSON. */
export function show(context: CliContext, format: OutputFormat, what: { json: unknown; text: () => string }): void {
  context.output.write(format === 'json' ? `${JSON.stringify(what.json, undefined, 2)}\n` : what.text());
}

/** What others wrote moves no cursor and forges no line; only our colours get through. */
export function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  return text.replace(/\s+/g, ' ').replace(/(\x1b\[\d+m)|\p{Cc}/gu, (_match, colour?: string) => colour ?? '\ufffd');
}

/** The same for one line that keeps its spaces. */
export function harmless(text: string): string {
  return text.replace(/\p{Cc}/gu, '\ufffd');
}

/** What a terminal shows: colours take no room, wide characters two columns. */
function width(text: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape that starts a colour.
  const plain = text.replace(/\x1b\[\d+m/g, '');
  let columns = 0;
  for (const character of plain)
    columns += /\p{Extended_Pictographic}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uff00-\uff60]/u.test(character)
      ? 2
      : 1;
  return columns;
}
