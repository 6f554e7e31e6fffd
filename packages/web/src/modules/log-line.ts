import type { LogEvent } from '@berth/core/log-event';

/** One line of a log as it is drawn. */
export interface LogLine {
  at: string;
  pod: string;
  text: string;
  level: LogLevel;
}
export type LogLevel = 'error' | 'warn' | 'other';
export const LINES_KEPT = 5_000;

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours start with the escape character
const TERMINAL_CODES = /\u001b\[[0-9;?]*[A-Za-z]/g;
const ERROR_WORDS = /\b(error|err|fatal|panic|critical|exception|unhandled)\b/i;
const WARN_WORDS = /\b(warn|warning)\b/i;
/** A level stands near the start; the same word later is only talk. */
const LEVEL_WITHIN = 80;

export function toLogLine(event: Extract<LogEvent, { type: 'line' }>): LogLine {
  const text = event.text.replace(TERMINAL_CODES, '');
  return { at: event.at, pod: event.pod, text, level: levelOf(text) };
}

export function levelOf(text: string): LogLevel {
  const named = /"(?:level|severity)":\s*"?(\w+)"?/.exec(text)?.[1];
  if (named !== undefined) {
    // pino counts: 40 is a warning, 50 and more an error.
    if (/^\d+$/.test(named)) return Number(named) >= 50 ? 'error' : Number(named) >= 40 ? 'warn' : 'other';
    return ERROR_WORDS.test(named) ? 'error' : WARN_WORDS.test(named) ? 'warn' : 'other';
  }
  const head = text.slice(0, LEVEL_WITHIN);
  if (/\b(info|debug|trace)\b/i.test(head.slice(0, 40))) return 'other';
  if (ERROR_WORDS.test(head)) return 'error';
  return WARN_WORDS.test(head) ? 'warn' : 'other';
}

/** Adds what came; at most `LINES_KEPT` stay. */
export function appendLines(lines: readonly LogLine[], fresh: readonly LogLine[]): LogLine[] {
  return [...lines, ...fresh].slice(-LINES_KEPT);
}

/**
 * After a reconnect the server sends the last lines again. The returned filter lets through what is new: every known line
 * stands for one repeat, so two equal lines of one instant stay two.
 */
export function withoutRepeats(known: readonly LogLine[]): (line: LogLine) => boolean {
  const left = new Map<string, number>();
  for (const line of known) left.set(identity(line), (left.get(identity(line)) ?? 0) + 1);
  return (line) => {
    const count = left.get(identity(line)) ?? 0;
    if (count > 0) left.set(identity(line), count - 1);
    return count === 0;
  };
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

function identity(line: LogLine): string {
  return `${line.at} ${line.pod} ${line.text}`;
}
