import { type RefObject, useEffect, useRef, useState } from 'react';
import { messageOf } from '../api/problem.ts';
import { connectShell, type ShellConnection, type ShellState } from '../api/shell-connection.ts';
import { forgetShell, shellName } from './shell-sessions.ts';
import type { ShellTerminal, ShellTerminalOptions } from './shell-terminal.ts';

export interface ShellPlaceInUi {
  id: string;
  service: string;
  /** Any that is ready when empty. */
  pod: string;
}

export interface Shell {
  state: ShellState;
  /** The pod it is in, once that is known. */
  pod: string | undefined;
  /** When its server stops and the shell ends, if that is known. */
  endsAt: number | undefined;
  terminal: RefObject<ShellTerminal | undefined>;
  send: (text: string) => void;
  end: () => void;
  /** A new shell, on an empty screen. */
  startAgain: () => void;
}

type View = Pick<ShellTerminalOptions, 'label' | 'describedBy' | 'screenReader' | 'onLeave' | 'onFind' | 'onManyLines'>;

/** A shell in a box of the page. Leaving the page leaves it running for a while; coming back finds it. */
export function useShell(
  box: RefObject<HTMLDivElement | null>,
  { id, service, pod }: ShellPlaceInUi,
  view: View,
): Shell {
  const [state, setState] = useState<ShellState>({ kind: 'connecting' });
  const [seenPod, setSeenPod] = useState<string>();
  const [endsAt, setEndsAt] = useState<number>();
  const [attempt, setAttempt] = useState(0);
  const terminal = useRef<ShellTerminal>(undefined);
  const connection = useRef<ShellConnection>(undefined);
  const latest = useRef(view);
  latest.current = view;
  const place = `${id}/${service}/${pod}`;

  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt is a reason to begin anew
  useEffect(() => {
    let gone = false;
    setState({ kind: 'connecting' });
    setSeenPod(undefined);
    setEndsAt(undefined);
    const name = shellName(place);

    const start = async () => {
      const { openTerminal } = await import('./shell-terminal.ts');
      if (gone || !box.current) return;
      const opened = await openTerminal({
        box: box.current,
        ...latest.current,
        onLeave: () => latest.current.onLeave(),
        onFind: () => latest.current.onFind(),
        onManyLines: (text) => latest.current.onManyLines(text),
        onInput: (text) => connection.current?.send(text),
        onSize: (size) => {
          lastSize = size;
          connection.current?.resize(size);
        },
      });
      if (gone) return opened.dispose();
      terminal.current = opened;
      connect(opened, name);
      opened.focus();
    };
    let lastSize: { columns: number; rows: number } | undefined;

    let found = false;
    const connect = (screen: ShellTerminal, { session, known }: { session: string; known: boolean }) => {
      connection.current = connectShell({
        id,
        service,
        ...(pod !== '' && { pod }),
        session,
        comeBack: known,
        onOutput: (bytes) => screen.write(bytes),
        onEndsAt: setEndsAt,
        onPlace: (where) => {
          found = true;
          setSeenPod(where.pod);
          if (where.missed > 0) screen.write(`\r\n\x1b[2m[${where.missed} bytes of output are not kept]\x1b[0m\r\n`);
        },
        onState: (now) => {
          if (gone) return;
          if (now.kind === 'ended') forgetShell(place);
          // The page was away for longer than its shell was kept: a new one, and no word about it.
          if (now.kind === 'ended' && now.gone && known && !found)
            return connect(screen, { ...shellName(place), known: false });
          screen.takesInput(now.kind === 'open');
          setState(now);
        },
      });
      if (lastSize) connection.current.resize(lastSize);
    };

    start().catch((error: unknown) => setState({ kind: 'ended', words: messageOf(error), gone: false }));
    return () => {
      gone = true;
      connection.current?.leave();
      terminal.current?.dispose();
      connection.current = undefined;
      terminal.current = undefined;
    };
  }, [place, attempt, box]);

  return {
    state,
    pod: seenPod,
    endsAt,
    terminal,
    send: (text) => connection.current?.send(text),
    end: () => connection.current?.end(),
    startAgain: () => setAttempt((before) => before + 1),
  };
}
