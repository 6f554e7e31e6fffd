import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { ArrowDown } from 'lucide-react';
import { useCallback, useDeferredValue, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Button } from '../components/button.tsx';
import type { LogChoice } from './log-choice.ts';
import { findAll, type LogLine, lineText } from './log-line.ts';
import { type LogColumns, LogRow } from './log-row.tsx';
import { LogsToolbar } from './logs-toolbar.tsx';
import { colourOf } from './service-colours.ts';
import { type FollowEnd, useFollowEnd } from './use-follow-end.ts';
import type { LogStream } from './use-log-lines.ts';

const ROW_HEIGHT = 20;

const STATE_WORDS: Record<LogStream['state'], string> = {
  connecting: 'connecting',
  following: 'following',
  reconnecting: 'connection lost, trying again',
  ended: 'ended',
};

export interface LogsViewProps {
  stream: LogStream;
  deployment: string;
  /** Everything that may write: services and jobs. */
  services: readonly string[];
  choice: LogChoice;
  onChoice: (change: Partial<LogChoice>) => void;
  downloadUrl: string;
}

/** A log to read: it follows until one scrolls, is searched with a count, and keeps its place while lines come. */
export function LogsView({ stream, deployment, services, choice, onChoice, downloadUrl }: LogsViewProps) {
  const { lines, state, note } = stream;
  const [query, setQuery] = useState(choice.q);
  const searched = useDeferredValue(query);
  const box = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    getItemKey: (index) => lines[index]?.key ?? index,
    estimateSize: () => ROW_HEIGHT,
    overscan: 20,
  });
  const follow = useFollowEnd(box, choice.line === '', lines);
  usePlace(box, stream, follow);
  const { setFollowing } = follow;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another choice is another log, read from its end
  useEffect(() => setFollowing(choice.line === ''), [choice.service, choice.level, choice.since, choice.previous]);
  usePointed({ lines, line: choice.line, virtualizer, follow });
  const hits = useHits({ lines, query: searched, virtualizer, follow });
  const columns = useColumns(lines, services);
  const onPoint = useCallback(
    (id: string) => onChoice({ line: choice.line === id ? '' : id }),
    [onChoice, choice.line],
  );
  return (
    <section aria-label={`Logs of ${deployment}`} className="rounded-panel border border-line bg-panel">
      <LogsToolbar
        services={services}
        choice={choice}
        onChoice={onChoice}
        query={query}
        onQuery={setQuery}
        hits={hits}
        state={stateWords(stream, choice, follow)}
        text={() => lines.map(lineText).join('\n')}
        downloadUrl={downloadUrl}
      />
      <div className="relative">
        <div
          ref={box}
          role="log"
          aria-live="off"
          aria-label="Lines"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          tabIndex={0}
          className="h-[max(320px,calc(100dvh-252px))] overflow-auto rounded-b-panel bg-sunken/60 py-2 -outline-offset-2 [overflow-anchor:none] max-wide:h-[60dvh]"
          onScroll={follow.onScroll}
          onWheel={follow.onHand}
          onTouchMove={follow.onHand}
          onPointerDown={follow.onHand}
          onPointerMove={(event) => event.buttons > 0 && follow.onHand()}
          onKeyDown={follow.onHand}
        >
          {lines.length === 0 && <p className="px-3.5 py-1 text-muted">{note ?? emptyWords(stream, choice)}</p>}
          <div className="relative" style={{ height: virtualizer.getTotalSize() }}>
            <div
              className={choice.wrap ? 'w-full' : 'w-max min-w-full'}
              style={{ transform: `translateY(${virtualizer.getVirtualItems()[0]?.start ?? 0}px)` }}
            >
              {virtualizer.getVirtualItems().map((item) => {
                const each = lines[item.index];
                return (
                  each && (
                    // Without wrapping every row has one height, and none needs to be measured.
                    <div
                      key={item.key}
                      data-index={item.index}
                      ref={choice.wrap ? virtualizer.measureElement : undefined}
                    >
                      <LogRow
                        line={each}
                        columns={columns}
                        wrap={choice.wrap}
                        query={searched}
                        current={item.index === hits.at}
                        pointed={each.id === choice.line}
                        onPoint={onPoint}
                      />
                    </div>
                  )
                );
              })}
            </div>
          </div>
          {note && lines.length > 0 && <p className="px-3.5 py-1 text-muted">{note}</p>}
        </div>
        {!follow.following && state !== 'ended' && (
          <Button
            className="absolute! right-5 bottom-4 shadow-floating"
            icon={<ArrowDown aria-hidden className="size-3.5" />}
            onClick={() => follow.setFollowing(true)}
          >
            Follow
          </Button>
        )}
      </div>
    </section>
  );
}

type Rows = Virtualizer<HTMLDivElement, Element>;

/** Lines that go at the start must not move those that are read. */
function usePlace(box: React.RefObject<HTMLDivElement | null>, { dropped }: LogStream, { following }: FollowEnd): void {
  const before = useRef(dropped);
  useLayoutEffect(() => {
    const gone = dropped - before.current;
    before.current = dropped;
    if (gone > 0 && !following && box.current) box.current.scrollTop -= gone * ROW_HEIGHT;
  }, [dropped, following, box]);
}

/** Comes to the line that the address was opened with, once it is there. */
function usePointed(props: { lines: readonly LogLine[]; line: string; virtualizer: Rows; follow: FollowEnd }): void {
  const { lines, line, virtualizer, follow } = props;
  const { setFollowing } = follow;
  const wanted = useRef(line);
  useEffect(() => {
    if (line !== '') setFollowing(false);
    const at = wanted.current === '' ? -1 : lines.findIndex((each) => each.id === wanted.current);
    if (at === -1) return;
    wanted.current = '';
    virtualizer.scrollToIndex(at, { align: 'center' });
  }, [lines, line, virtualizer, setFollowing]);
}

function useHits(props: { lines: readonly LogLine[]; query: string; virtualizer: Rows; follow: FollowEnd }) {
  const { lines, query, virtualizer, follow } = props;
  const [chosen, setChosen] = useState<number>();
  const found = useMemo(
    () => (query === '' ? [] : lines.flatMap((each, index) => (findAll(each.text, query).length > 0 ? [index] : []))),
    [lines, query],
  );
  // By the line itself: its place changes as others come and go.
  const current = Math.max(
    0,
    found.findIndex((index) => lines[index]?.key === chosen),
  );
  return {
    count: found.length,
    current,
    at: found[current],
    go(step: number) {
      if (found.length === 0) return;
      const next = chosen === undefined && step > 0 ? 0 : (current + step + found.length) % found.length;
      const index = found[next] ?? 0;
      setChosen(lines[index]?.key);
      follow.setFollowing(false);
      virtualizer.scrollToIndex(index, { align: 'center' });
    },
  };
}

/** Names are only worth their room where they differ. */
function useColumns(lines: readonly LogLine[], services: readonly string[]): LogColumns {
  const several = useMemo(() => new Set(lines.map(({ service }) => service)).size > 1, [lines]);
  const pods = useMemo(() => {
    const byService = new Map<string, string>();
    return lines.some(({ service, pod }) => {
      const other = byService.get(service);
      byService.set(service, pod);
      return other !== undefined && other !== pod;
    });
  }, [lines]);
  return useMemo(
    () => ({ service: several ? (name) => colourOf(services.indexOf(name)).text : undefined, pod: pods }),
    [several, pods, services],
  );
}

function stateWords({ lines, state }: LogStream, { line }: LogChoice, { following }: FollowEnd): string {
  if (line !== '' && lines.length > 0 && !lines.some(({ id }) => id === line)) return 'that line is not among these';
  return state === 'following' && !following ? 'paused' : STATE_WORDS[state];
}

function emptyWords({ state }: LogStream, { level, since, previous }: LogChoice): string {
  if (state === 'connecting') return 'Connecting…';
  if (previous) return 'No line from before a restart.';
  if (level !== '' || since !== '') return 'No line like that yet. New ones appear as they are written.';
  return 'No lines yet. They appear as they are written.';
}
