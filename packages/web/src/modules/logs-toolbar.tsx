import { LOG_LEVELS } from '@berth/core/log-event';
import { ChevronDown, ChevronUp, Download, History, WrapText } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { IconButton } from '../components/button.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { Input, Select } from '../components/field.tsx';
import { type LogChoice, SINCE } from './log-choice.ts';

const LEVEL_WORDS = { debug: 'All levels', info: 'Info and above', warning: 'Warnings and errors', error: 'Errors' };
const SETTLE_MILLISECONDS = 250;

export function LogsToolbar(props: {
  services: readonly string[];
  choice: LogChoice;
  onChoice: (change: Partial<LogChoice>) => void;
  query: string;
  onQuery: (query: string) => void;
  hits: { count: number; current: number; go: (step: number) => void };
  state: ReactNode;
  text: () => string;
  downloadUrl: string;
}) {
  const { services, choice, onChoice, state, text, downloadUrl } = props;
  const several = choice.service.includes(',') && choice.service;
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line px-2.5 py-2">
      <Choice label="Service" value={choice.service} onChange={(service) => onChoice({ service, line: '' })}>
        <option value="">All services</option>
        {several && <option value={several}>{several.replaceAll(',', ', ')}</option>}
        {services.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </Choice>
      <Choice
        label="Levels"
        value={choice.level}
        onChange={(level) => onChoice({ level: level as LogChoice['level'], line: '' })}
      >
        {LOG_LEVELS.map((each) => (
          <option key={each} value={each === 'debug' ? '' : each}>
            {LEVEL_WORDS[each]}
          </option>
        ))}
      </Choice>
      <Choice
        label="Since"
        value={choice.since}
        onChange={(since) => onChoice({ since: since as LogChoice['since'], line: '' })}
      >
        <option value="">Last 1,000 lines</option>
        {Object.entries(SINCE).map(([value, words]) => (
          <option key={value} value={value}>{`Last ${words}`}</option>
        ))}
      </Choice>
      <SearchField {...props} />
      <span role="status" className="px-1 text-muted max-wide:flex-1">
        {state}
      </span>
      <span className="flex">
        <Toggle
          label="The container before the last restart"
          icon={<History aria-hidden className="size-4" />}
          on={choice.previous}
          onClick={() => onChoice({ previous: !choice.previous, line: '' })}
        />
        <Toggle
          label="Wrap long lines"
          icon={<WrapText aria-hidden className="size-4" />}
          on={choice.wrap}
          onClick={() => onChoice({ wrap: !choice.wrap })}
        />
        <CopyButton text={text} label="Copy what is shown" />
        <a
          href={downloadUrl}
          download
          aria-label="Download the log"
          title="Download the log"
          className="inline-flex h-[30px] w-[30px] items-center justify-center rounded-control text-muted hover:bg-sunken hover:text-text pointer-coarse:size-9"
        >
          <Download aria-hidden className="size-4" />
        </a>
      </span>
    </div>
  );
}

function Choice(props: { label: string; value: string; onChange: (value: string) => void; children: ReactNode }) {
  const { label, value, onChange, children } = props;
  return (
    <Select
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      className="h-[30px] max-wide:min-w-[7.5rem] max-wide:flex-1 wide:w-38 pointer-coarse:h-9"
    >
      {children}
    </Select>
  );
}

function Toggle(props: { label: string; icon: ReactNode; on: boolean; onClick: () => void }) {
  const { on, ...rest } = props;
  return <IconButton {...rest} aria-pressed={on} className={on ? 'bg-sunken text-text!' : undefined} />;
}

/** `/` comes here, Enter goes on, Shift+Enter back, Escape clears and then leaves. */
function SearchField({ query, onQuery, choice, onChoice, hits }: Parameters<typeof LogsToolbar>[0]) {
  useSettled(query, choice.q, (q) => onChoice({ q }));
  return (
    <div className="flex min-w-52 flex-1 items-center gap-1 max-wide:basis-full">
      <Input
        type="search"
        data-filter
        aria-label="Search in the log"
        placeholder="Search"
        value={query}
        onChange={(event) => onQuery(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') hits.go(event.shiftKey ? -1 : 1);
          if (event.key !== 'Escape') return;
          if (query === '') event.currentTarget.blur();
          else onQuery('');
        }}
        className="h-[30px]! max-w-64 max-wide:max-w-none pointer-coarse:h-9!"
      />
      {query !== '' && (
        <>
          <span role="status" className="numeric px-1 whitespace-nowrap text-muted">
            {hits.count === 0 ? 'no line' : `${hits.current + 1} of ${hits.count}`}
          </span>
          <IconButton
            label="Previous line found"
            icon={<ChevronUp aria-hidden className="size-4" />}
            onClick={() => hits.go(-1)}
          />
          <IconButton
            label="Next line found"
            icon={<ChevronDown aria-hidden className="size-4" />}
            onClick={() => hits.go(1)}
          />
        </>
      )}
    </div>
  );
}

/** Into the address once the typing pauses. */
function useSettled(typed: string, known: string, onSettled: (text: string) => void): void {
  const [settle] = useState(() => ({ run: onSettled }));
  settle.run = onSettled;
  useEffect(() => {
    if (typed === known) return;
    const timer = setTimeout(() => settle.run(typed), SETTLE_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [typed, known, settle]);
}
