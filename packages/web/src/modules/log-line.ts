import type { LogEvent, LogLevel } from '@berth/core/log-event';

/** One line of a log as it is drawn. */
export interface LogLine {
  /** Grows from line to line. */
  key: number;
  at: string;
  service: string;
  pod: string;
  text: string;
  level: LogLevel | undefined;
  /** What an address points at: the time, and which of several lines of that time. */
  id: string;
}

export const LINES_KEPT = 10_000;

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours start with the escape character
const TERMINAL_CODES = /\u001b\[[0-9;?]*[A-Za-z]/g;

export interface LogBuffer {
  lines: readonly LogLine[];
  /** How many lines there were before the first that is kept. */
  dropped: number;
}

export const EMPTY_BUFFER: LogBuffer = { lines: [], dropped: 0 };

/** Adds what came; at most `LINES_KEPT` stay. */
export function appendLines(buffer: LogBuffer, events: readonly Extract<LogEvent, { type: 'line' }>[]): LogBuffer {
  const fresh: LogLine[] = [];
  let last = buffer.lines.at(-1);
  for (const { at, service, pod, text, level } of events) {
    const key = (last?.key ?? buffer.dropped - 1) + 1;
    last = { key, at, service, pod, level, text: text.replace(TERMINAL_CODES, ''), id: idAfter(last, at) };
    fresh.push(last);
  }
  const all = [...buffer.lines, ...fresh];
  const over = Math.max(0, all.length - LINES_KEPT);
  return { lines: over > 0 ? all.slice(over) : all, dropped: buffer.dropped + over };
}

function idAfter(last: LogLine | undefined, at: string): string {
  if (last?.at !== at) return at;
  const [, count = '0'] = last.id.split('~');
  return `${at}~${Number(count) + 1}`;
}

/** The time in a line's id. */
export function timeOfLine(id: string): Date | undefined {
  const at = new Date(id.split('~')[0] ?? '');
  return Number.isNaN(at.getTime()) ? undefined : at;
}

/** Where in a text the words are found, without regard to case: start and end of each. */
export function findAll(text: string, query: string): [number, number][] {
  const needle = query.toLowerCase();
  if (needle === '') return [];
  const hay = text.toLowerCase();
  const found: [number, number][] = [];
  for (let at = hay.indexOf(needle); at !== -1; at = hay.indexOf(needle, at + needle.length)) {
    found.push([at, at + needle.length]);
  }
  return found;
}

export function lineText({ at, service, pod, text }: LogLine): string {
  return `${at} ${service} ${pod} ${text}`;
}
