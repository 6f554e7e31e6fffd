import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ChevronDown, ChevronUp, Download, WrapText } from 'lucide-react';
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { Button, IconButton } from '../components/button.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { Input, Select } from '../components/field.tsx';
import { findAll, type LogLine } from './log-line.ts';
import { LogRow } from './log-row.tsx';
import type { LogStream } from './use-log-lines.ts';

const ROW_HEIGHT = 20;
/** Closer to the end than this counts as being at the end. */
const END_PIXELS = 24;
const LEVELS = { all: 'All lines', warn: 'Warnings and errors', error: 'Errors' } as const;

const STATE_WORDS: Record<LogStream['state'], string> = {
  connecting: 'connecting',
  following: 'following',
  reconnecting: 'connection lost, trying again',
  ended: 'ended',
};

/** A log to read: it follows until one scrolls, is searched with a count, and keeps its place while lines come. */
export function LogsView(props: {
  stream: LogStream;
  deployment: string;
  services: readonly string[];
  service: string;
  onService: (service: string) => void;
  /** The time of the line that the address points at. */
  line: string;
  onLine: (at: string) => void;
}) {
  const { stream, deployment, services, service, onService, line, onLine } = props;
  const [query, setQuery] = useState('');
  const [level, setLevel] = useState<keyof typeof LEVELS>('all');
  const [wrap, setWrap] = useState(false);
  const [follow, setFollow] = useState(line === '');
  const [hit, setHit] = useState(0);
  const searched = useDeferredValue(query);
  const lines = useMemo(() => stream.lines.filter((each) => fits(each, level)), [stream.lines, level]);
  const hits = useMemo(
    () => lines.flatMap((each, index) => (findAll(each.text, searched).length > 0 ? [index] : [])),
    [lines, searched],
  );
  const severalPods = useMemo(() => new Set(stream.lines.map((each) => each.pod)).size > 1, [stream.lines]);

  const box = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 20,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: new lines are the reason to scroll
  useEffect(() => {
    if (follow && lines.length > 0) virtualizer.scrollToIndex(lines.length - 1, { align: 'end' });
  }, [follow, lines, wrap, virtualizer]);
  const pointedAt = line === '' ? -1 : lines.findIndex((each) => each.at === line);
  const pointed = useRef(false);
  useEffect(() => {
    if (pointedAt === -1 || pointed.current) return;
    pointed.current = true;
    setFollow(false);
    virtualizer.scrollToIndex(pointedAt, { align: 'center' });
  }, [pointedAt, virtualizer]);
  const goToHit = (next: number) => {
    if (hits.length === 0) return;
    const wrapped = (next + hits.length) % hits.length;
    setHit(wrapped);
    setFollow(false);
    virtualizer.scrollToIndex(hits[wrapped] ?? 0, { align: 'center' });
  };
  const currentHit = hits[Math.min(hit, hits.length - 1)];
  const text = () => lines.map((each) => `${each.at} ${each.pod} ${each.text}`).join('\n');

  return (
    <section aria-label={`Logs of ${service}`} className="rounded-panel border border-line bg-panel">
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-2.5 py-2">
        <Select
          aria-label="Service"
          value={service}
          onChange={(event) => onService(event.target.value)}
          className="h-[30px] max-wide:min-w-0 max-wide:flex-1 wide:w-36"
        >
          {services.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </Select>
        <Select
          aria-label="Levels"
          value={level}
          onChange={(event) => setLevel(event.target.value as keyof typeof LEVELS)}
          className="h-[30px] max-wide:min-w-0 max-wide:flex-1 wide:w-44"
        >
          {Object.entries(LEVELS).map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </Select>
        <div className="flex min-w-56 flex-1 items-center gap-1 max-wide:basis-full">
          <Input
            type="search"
            data-filter
            aria-label="Search in the log"
            placeholder="Search"
            value={query}
            onChange={(event) => {
              setQuery(event.target.value);
              setHit(0);
            }}
            onKeyDown={(event) => {
              if (event.key === 'Enter') goToHit(hit + (event.shiftKey ? -1 : 1));
              if (event.key === 'Escape') setQuery('');
            }}
            className="h-[30px]! max-w-64"
          />
          {query !== '' && (
            <>
              <span role="status" className="numeric px-1 whitespace-nowrap text-muted">
                {hits.length === 0 ? 'no line' : `${Math.min(hit, hits.length - 1) + 1} of ${hits.length}`}
              </span>
              <IconButton
                label="Previous line found"
                icon={<ChevronUp aria-hidden className="size-4" />}
                onClick={() => goToHit(hit - 1)}
              />
              <IconButton
                label="Next line found"
                icon={<ChevronDown aria-hidden className="size-4" />}
                onClick={() => goToHit(hit + 1)}
              />
            </>
          )}
        </div>
        <span role="status" className="px-1 text-faint">
          {stream.state === 'following' && !follow ? 'paused' : STATE_WORDS[stream.state]}
        </span>
        <IconButton
          label="Wrap long lines"
          aria-pressed={wrap}
          icon={<WrapText aria-hidden className="size-4" />}
          onClick={() => setWrap(!wrap)}
          className={wrap ? 'bg-sunken text-text!' : undefined}
        />
        <CopyButton text={text()} label="Copy the log" />
        <IconButton
          label="Download the log"
          icon={<Download aria-hidden className="size-4" />}
          onClick={() => download(`${deployment}-${service}.log`, text())}
        />
      </div>
      <div className="relative">
        <div
          ref={box}
          role="log"
          aria-live="off"
          aria-label={`Lines of ${service}`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          tabIndex={0}
          className="h-[max(320px,calc(100dvh-252px))] overflow-auto rounded-b-panel bg-sunken/60 py-2 -outline-offset-2 max-wide:h-[60dvh]"
          onScroll={(event) => {
            const { scrollHeight, scrollTop, clientHeight } = event.currentTarget;
            const atEnd = scrollHeight - scrollTop - clientHeight < END_PIXELS;
            if (atEnd !== follow && (atEnd || event.currentTarget.matches(':hover, :focus'))) setFollow(atEnd);
          }}
        >
          {lines.length === 0 && (
            <p className="px-3.5 py-1 text-muted">
              {stream.note ??
                (stream.state === 'following'
                  ? 'No lines yet. They appear as the service writes them.'
                  : 'Connecting…')}
            </p>
          )}
          <div className="relative" style={{ height: virtualizer.getTotalSize() }}>
            <div
              className={wrap ? 'w-full' : 'w-max min-w-full'}
              style={{ transform: `translateY(${virtualizer.getVirtualItems()[0]?.start ?? 0}px)` }}
            >
              {virtualizer.getVirtualItems().map((item) => {
                const each = lines[item.index];
                if (!each) return undefined;
                return (
                  <LogRow
                    key={item.key}
                    index={item.index}
                    measure={virtualizer.measureElement}
                    line={each}
                    pod={severalPods}
                    wrap={wrap}
                    query={searched}
                    current={item.index === currentHit && searched !== ''}
                    pointed={each.at === line}
                    onPoint={() => onLine(each.at === line ? '' : each.at)}
                  />
                );
              })}
            </div>
          </div>
          {stream.note && lines.length > 0 && <p className="px-3.5 py-1 text-muted">{stream.note}</p>}
        </div>
        {!follow && stream.state !== 'ended' && (
          <Button
            className="absolute! right-5 bottom-4 shadow-floating"
            icon={<ArrowDown aria-hidden className="size-3.5" />}
            onClick={() => setFollow(true)}
          >
            Follow
          </Button>
        )}
      </div>
    </section>
  );
}

function fits(line: LogLine, level: keyof typeof LEVELS): boolean {
  return level === 'all' || line.level === 'error' || (level === 'warn' && line.level === 'warn');
}

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
