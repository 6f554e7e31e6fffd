import type { ReactNode } from 'react';
import { classes } from '../components/classes.ts';
import { findAll, type LogLevel, type LogLine } from './log-line.ts';

const LEVEL_ROW: Record<LogLevel, string> = {
  error: 'bg-bad-soft',
  warn: 'bg-warn-soft',
  other: '',
};
const LEVEL_WORDS: Record<LogLevel, string> = { error: 'error', warn: 'warning', other: '' };

export function LogRow(props: {
  line: LogLine;
  index: number;
  measure: (element: Element | null) => void;
  pod: boolean;
  wrap: boolean;
  query: string;
  current: boolean;
  pointed: boolean;
  onPoint: () => void;
}) {
  const { line, index, measure, pod, wrap, query, current, pointed, onPoint } = props;
  return (
    <div
      ref={measure}
      data-index={index}
      className={classes(
        'mono flex gap-3 px-3.5 py-px',
        LEVEL_ROW[line.level],
        pointed && 'shadow-[inset_3px_0_var(--accent)]',
      )}
    >
      <button
        type="button"
        title={`${line.at}: link to this line`}
        className="shrink-0 text-muted -outline-offset-1 hover:text-text hover:underline"
        onClick={onPoint}
      >
        <span className="sr-only">Link to the line of </span>
        {clock(line.at)}
      </button>
      {pod && (
        <span className={classes('w-12 shrink-0 truncate', podColour(line.pod))}>{line.pod.split('-').at(-1)}</span>
      )}
      {line.level !== 'other' && <span className="sr-only">{LEVEL_WORDS[line.level]}</span>}
      <span className={wrap ? 'min-w-0 whitespace-pre-wrap wrap-anywhere' : 'whitespace-pre'}>
        {highlight(line.text, query, current)}
      </span>
    </div>
  );
}

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

function podColour(pod: string): string {
  const colours = ['text-info', 'text-sleep', 'text-accent'];
  return colours[[...pod].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) % colours.length] ?? '';
}
