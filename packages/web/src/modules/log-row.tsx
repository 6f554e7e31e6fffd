import type { LogLevel } from '@berth/core/log-event';
import { memo, type ReactNode } from 'react';
import { classes } from '../components/classes.ts';
import { findAll, type LogLine } from './log-line.ts';

const LEVEL_ROW: Partial<Record<LogLevel, string>> = { error: 'bg-bad-soft', warning: 'bg-warn-soft' };
const LEVEL_EDGE: Partial<Record<LogLevel, string>> = {
  error: 'shadow-[inset_2px_0_var(--bad)]',
  warning: 'shadow-[inset_2px_0_var(--warn)]',
};

export interface LogColumns {
  /** The colour of each service, where there are several. */
  service: ((name: string) => string) | undefined;
  pod: boolean;
}

export const LogRow = memo(function LogRow(props: {
  line: LogLine;
  columns: LogColumns;
  wrap: boolean;
  query: string;
  current: boolean;
  pointed: boolean;
  onPoint: (id: string) => void;
}) {
  const { line, columns, wrap, query, current, pointed, onPoint } = props;
  const { level } = line;
  return (
    <div
      data-level={level}
      className={classes(
        'mono flex min-h-5 gap-3 px-3.5 py-px',
        level && LEVEL_ROW[level],
        pointed ? 'shadow-[inset_3px_0_var(--accent)]' : level && LEVEL_EDGE[level],
      )}
    >
      <button
        type="button"
        title={`${line.at}: link to this line`}
        aria-pressed={pointed}
        className="shrink-0 self-start text-muted -outline-offset-1 hover:text-text hover:underline"
        onClick={() => onPoint(line.id)}
      >
        <span className="sr-only">Link to the line of </span>
        {clock(line.at)}
      </button>
      {columns.service && (
        <span
          className={classes('w-20 shrink-0 truncate max-wide:w-14', columns.service(line.service))}
          title={line.service}
        >
          {line.service}
        </span>
      )}
      {columns.pod && (
        <span className="w-12 shrink-0 truncate text-muted max-wide:hidden" title={line.pod}>
          {line.pod.split('-').at(-1)}
        </span>
      )}
      {(level === 'error' || level === 'warning') && <span className="sr-only">{level}: </span>}
      <span
        className={classes(
          wrap ? 'min-w-0 whitespace-pre-wrap wrap-anywhere' : 'whitespace-pre',
          level === 'debug' && 'text-muted',
        )}
      >
        {highlight(line.text, query, current)}
      </span>
    </div>
  );
});

function highlight(text: string, query: string, current: boolean): ReactNode {
  const found = findAll(text, query);
  if (found.length === 0) return text;
  const parts: ReactNode[] = [];
  let from = 0;
  for (const [start, end] of found) {
    parts.push(
      text.slice(from, start),
      <mark key={start} data-current={current || undefined}>
        {text.slice(start, end)}
      </mark>,
    );
    from = end;
  }
  return [...parts, text.slice(from)];
}

function clock(at: string): string {
  const time = new Date(at);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}.${String(time.getMilliseconds()).padStart(3, '0')}`;
}
