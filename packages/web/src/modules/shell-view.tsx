import type { Deployment } from '@berth/core/deployment';
import { Accessibility, ChevronDown, ChevronUp, Link2, Search, X } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import type { ShellState } from '../api/shell-connection.ts';
import { Banner } from '../components/banner.tsx';
import { Button, IconButton } from '../components/button.tsx';
import { Input } from '../components/field.tsx';
import { Tag } from '../components/panel.tsx';
import { StateDot } from '../components/state-dot.tsx';
import { readFlag, writeFlag } from './remembered-flag.ts';
import { type ShellPlaceInUi, useShell } from './use-shell.ts';

const PATIENCE_MILLISECONDS = 3_000;
const SCREEN_READER_KEY = 'berth.shell.screen-reader';
/** What a phone's keyboard lacks. */
const TOUCH_KEYS = {
  Esc: '\x1b',
  Tab: '\t',
  '^C': '\x03',
  '^D': '\x04',
  '↑': '\x1b[A',
  '↓': '\x1b[B',
  '←': '\x1b[D',
  '→': '\x1b[C',
};

export function ShellView(props: {
  deployment: Deployment;
  place: ShellPlaceInUi;
  choice: ReactNode;
  /** Puts the pod into the address. */
  onKeepPod: ((pod: string) => void) | undefined;
}) {
  const { deployment, place, choice, onKeepPod } = props;
  const [finding, setFinding] = useState(false);
  const [screenReader, setScreenReader] = useState(() => readFlag(SCREEN_READER_KEY));
  const [lines, setLines] = useState<string>();
  const box = useRef<HTMLDivElement>(null);
  const bar = useRef<HTMLDivElement>(null);
  const help = useId();
  const shell = useShell(box, place, {
    label: `Shell in ${place.service} of ${deployment.name}`,
    describedBy: help,
    screenReader,
    onLeave: () => bar.current?.querySelector<HTMLElement>('select, button')?.focus(),
    onFind: () => setFinding(true),
    onManyLines: setLines,
  });
  const { state, pod, terminal } = shell;
  const shownState = useLasting(state);
  const back = () => terminal.current?.focus();
  return (
    <section aria-label={`Shell in ${place.service}`} className="rounded-panel border border-line bg-panel">
      <div ref={bar} className="flex flex-wrap items-center gap-2 border-b border-line px-2.5 py-2">
        {choice}
        <span aria-live="polite">
          <ShellStateDot state={shownState} />
        </span>
        {pod && <Tag className="mono max-w-56 truncate">{pod}</Tag>}
        <div className="ml-auto flex items-center gap-1">
          {pod && onKeepPod && (
            <IconButton
              label="Stay with this pod: put it into the address"
              icon={<Link2 aria-hidden className="size-4" />}
              onClick={() => onKeepPod(pod)}
            />
          )}
          <IconButton
            label="Search in the output (Ctrl+Shift+F)"
            icon={<Search aria-hidden className="size-4" />}
            onClick={() => setFinding(true)}
          />
          <IconButton
            label="For screen readers: read output aloud"
            aria-pressed={screenReader}
            className={screenReader ? 'text-accent!' : undefined}
            icon={<Accessibility aria-hidden className="size-4" />}
            onClick={() => {
              terminal.current?.screenReader(!screenReader);
              writeFlag(SCREEN_READER_KEY, !screenReader);
              setScreenReader(!screenReader);
            }}
          />
          {state.kind !== 'ended' && <Button onClick={shell.end}>End</Button>}
        </div>
      </div>
      {finding && (
        <FindBar
          find={(text, direction) => terminal.current?.find(text, direction) ?? false}
          close={() => {
            terminal.current?.clearFind();
            setFinding(false);
            back();
          }}
        />
      )}
      {lines !== undefined && (
        <Banner
          takesFocus
          tone="warn"
          className="rounded-none border-x-0 border-t-0"
          title={`Paste ${lines.trimEnd().split('\n').length} lines? Each is run as it comes.`}
          action={
            <>
              <Button
                onClick={() => {
                  terminal.current?.paste(lines);
                  setLines(undefined);
                  back();
                }}
              >
                Paste
              </Button>
              <Button
                look="ghost"
                onClick={() => {
                  setLines(undefined);
                  back();
                }}
              >
                Cancel
              </Button>
            </>
          }
        />
      )}
      {state.kind !== 'ended' && shell.endsAt !== undefined && (
        <Banner
          tone="warn"
          className="rounded-none border-x-0 border-t-0"
          title={`This shell ends at ${new Date(shell.endsAt).toLocaleTimeString()}`}
        >
          The server that holds it is being replaced, and a shell cannot be moved. Finish what you are doing; a new
          shell is there at once.
        </Banner>
      )}
      {state.kind === 'ended' && (
        <Banner
          tone="neutral"
          className="rounded-none border-x-0 border-t-0"
          title={endWords(state.words)}
          action={
            <Button look="primary" onClick={shell.startAgain}>
              Start again
            </Button>
          }
        />
      )}
      <div
        ref={box}
        data-testid="terminal"
        className="h-[max(240px,calc(100dvh-320px))] max-wide:h-[max(240px,calc(100dvh-480px))] overflow-hidden p-2.5 [font-feature-settings:'calt'_0]"
      />
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 border-t border-line px-3 py-1.5 text-hint text-muted">
        <div className="hidden gap-1 pointer-coarse:flex">
          {Object.entries(TOUCH_KEYS).map(([name, text]) => (
            <Button key={name} className="mono px-2! pointer-coarse:h-8" onClick={() => shell.send(text)}>
              {name}
            </Button>
          ))}
        </div>
        <p id={help} className="pointer-coarse:sr-only">
          Ctrl+Shift+X leaves the terminal. Ctrl+Shift+C copies, Ctrl+Shift+V pastes.
        </p>
      </div>
    </section>
  );
}

/** A connection that is back within a moment was never away. */
function useLasting(state: ShellState): ShellState {
  const [shown, setShown] = useState(state);
  useEffect(() => {
    const timer = setTimeout(() => setShown(state), state.kind === 'reconnecting' ? PATIENCE_MILLISECONDS : 0);
    return () => clearTimeout(timer);
  }, [state]);
  return shown;
}

function ShellStateDot({ state }: { state: ShellState }) {
  switch (state.kind) {
    case 'connecting':
      return (
        <StateDot tone="info" moving>
          connecting
        </StateDot>
      );
    case 'reconnecting':
      return (
        <StateDot tone="warn" moving>
          connection lost, trying again
        </StateDot>
      );
    case 'open':
      return <StateDot tone="ok">open</StateDot>;
    case 'ended':
      return <StateDot tone="neutral">ended</StateDot>;
  }
}

function endWords(words: string): string {
  return words.startsWith('ended') ? `The shell ${words}.` : words;
}

function FindBar(props: { find: (text: string, direction: 'next' | 'previous') => boolean; close: () => void }) {
  const { find, close } = props;
  const [text, setText] = useState('');
  const [found, setFound] = useState(true);
  const go = (direction: 'next' | 'previous', wanted = text) => setFound(wanted === '' || find(wanted, direction));
  return (
    <search className="flex items-center gap-1 border-b border-line px-2.5 py-1.5">
      <Input
        autoFocus
        type="search"
        aria-label="Search in the output"
        aria-invalid={found ? undefined : true}
        placeholder="Search"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          go('next', event.target.value);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') go(event.shiftKey ? 'previous' : 'next');
          if (event.key === 'Escape') close();
        }}
        className="h-[30px]! max-w-64"
      />
      <span role="status" className="min-w-20 px-1 text-hint text-muted">
        {found ? '' : 'not found'}
      </span>
      <IconButton label="Previous" icon={<ChevronUp aria-hidden className="size-4" />} onClick={() => go('previous')} />
      <IconButton label="Next" icon={<ChevronDown aria-hidden className="size-4" />} onClick={() => go('next')} />
      <IconButton label="Close the search" icon={<X aria-hidden className="size-4" />} onClick={close} />
    </search>
  );
}
