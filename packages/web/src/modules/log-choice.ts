import { LOG_LEVELS, type LogLevel } from '@berth/core/log-event';
import { useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { timeOfLine } from './log-line.ts';

/** What of a log is shown: all of it stands in the address. */
export interface LogChoice {
  /** Names with commas between them; empty is all. */
  service: string;
  level: LogLevel | '';
  since: Since | '';
  /** Of the container that ran before the last restart. */
  previous: boolean;
  /** The line that the address points at. */
  line: string;
  q: string;
  wrap: boolean;
}

export const SINCE = {
  '5m': '5 minutes',
  '15m': '15 minutes',
  '1h': 'hour',
  '6h': '6 hours',
  '24h': '24 hours',
} as const;
export type Since = keyof typeof SINCE;

/** What a choice asks the server for. */
export interface LogQuery {
  service?: string;
  level?: LogLevel;
  since?: string;
  previous?: 'true';
}

const TAIL = 1_000;
const BEFORE_LINE_MS = 60_000;

export function useLogChoice(names: readonly string[]): [LogChoice, (change: Partial<LogChoice>) => void] {
  const [search, setSearch] = useSearchParams();
  const choice = useMemo(() => readChoice(search, names), [search, names]);
  const change = (next: Partial<LogChoice>) =>
    setSearch((before) => writeChoice(before, next), { replace: true, preventScrollReset: true, flushSync: true });
  return [choice, change];
}

export function readChoice(search: URLSearchParams, names: readonly string[]): LogChoice {
  const asked = (search.get('service') ?? '').split(',').filter((name) => names.includes(name));
  const level = search.get('level') ?? '';
  const since = search.get('since') ?? '';
  return {
    service: asked.join(','),
    // From debug on is all.
    level: level !== 'debug' && (LOG_LEVELS as readonly string[]).includes(level) ? (level as LogLevel) : '',
    since: Object.hasOwn(SINCE, since) ? (since as Since) : '',
    previous: search.get('previous') === 'yes',
    line: search.get('line') ?? '',
    q: search.get('q') ?? '',
    wrap: search.get('wrap') === 'yes',
  };
}

export function writeChoice(before: URLSearchParams, change: Partial<LogChoice>): URLSearchParams {
  const next = new URLSearchParams(before);
  for (const [key, value] of Object.entries(change)) {
    const text = value === true ? 'yes' : value === false ? '' : value;
    if (text === '') next.delete(key);
    else next.set(key, text);
  }
  return next;
}

/** Around the line that the address points at, should it be older than what is shown otherwise. */
export function logQuery({ service, level, since, previous }: LogChoice, line: string): LogQuery & { tail?: number } {
  const at = line === '' ? undefined : timeOfLine(line);
  const from = since || (at && new Date(at.getTime() - BEFORE_LINE_MS).toISOString());
  return {
    ...(service !== '' && { service }),
    ...(level !== '' && { level }),
    ...(from ? { since: from } : { tail: TAIL }),
    ...(previous && { previous: 'true' as const }),
  };
}
