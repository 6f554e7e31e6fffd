import { X } from 'lucide-react';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { IconButton } from './button.tsx';
import { StateDot } from './state-dot.tsx';
import type { Tone } from './tone.ts';

/**
 * Toasts, for what is out of sight, and the two live regions that screen readers follow: polite for changes, assertive
 * for failures.
 */
export interface Toast {
  tone: Tone;
  text: string;
  action?: { label: string; run: () => void };
}
export interface Feedback {
  toast: (toast: Toast) => void;
  announce: (text: string, urgency?: 'polite' | 'assertive') => void;
}

const FeedbackContext = createContext<Feedback | undefined>(undefined);
const WORDS: Record<Tone, string> = {
  ok: 'Done',
  bad: 'Failed',
  warn: 'Careful',
  info: 'Note',
  sleep: 'Note',
  neutral: 'Note',
};
const SHOWN_MILLISECONDS = 6_000;
const SHOWN_WITH_ACTION_MILLISECONDS = 10_000;

export function useFeedback(): Feedback {
  const feedback = useContext(FeedbackContext);
  if (!feedback) throw new Error('useFeedback needs a FeedbackProvider around it');
  return feedback;
}

export function FeedbackProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<(Toast & { id: number })[]>([]);
  const [spoken, setSpoken] = useState({ polite: '', assertive: '' });
  const nextId = useRef(1);

  const announce = useCallback<Feedback['announce']>((text, urgency = 'polite') => {
    // A trailing space makes the same words news again.
    setSpoken((before) => ({ ...before, [urgency]: before[urgency] === text ? `${text} ` : text }));
  }, []);
  const dismiss = useCallback((id: number) => setToasts((all) => all.filter((each) => each.id !== id)), []);
  const toast = useCallback<Feedback['toast']>(
    (next) => {
      const id = nextId.current++;
      setToasts((all) => [...all.slice(-2), { ...next, id }]);
      announce(next.text, next.tone === 'bad' ? 'assertive' : 'polite');
    },
    [announce],
  );
  const feedback = useMemo(() => ({ toast, announce }), [toast, announce]);

  return (
    <FeedbackContext value={feedback}>
      {children}
      <div aria-live="polite" className="sr-only">
        {spoken.polite}
      </div>
      <div aria-live="assertive" className="sr-only">
        {spoken.assertive}
      </div>
      <section
        aria-label="Notifications"
        className="pointer-events-none fixed right-4 bottom-4 left-4 z-50 flex flex-col items-end gap-2 max-wide:bottom-[72px]"
      >
        {toasts.map((each) => (
          <ToastBox key={each.id} toast={each} onDismiss={() => dismiss(each.id)} />
        ))}
      </section>
    </FeedbackContext>
  );
}

/** Goes by itself, unless somebody is at it: an action that disappears from under the pointer helps nobody. */
function ToastBox({ toast: { tone, text, action }, onDismiss }: { toast: Toast; onDismiss: () => void }) {
  const [attended, setAttended] = useState(false);
  const leave = useRef(onDismiss);
  leave.current = onDismiss;
  // A failure stays until it is dismissed: it may be read later.
  const stays = tone === 'bad' || attended;
  useEffect(() => {
    if (stays) return;
    const timer = setTimeout(() => leave.current(), action ? SHOWN_WITH_ACTION_MILLISECONDS : SHOWN_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [stays, action]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only learns whether somebody is at it
    <div
      onPointerEnter={() => setAttended(true)}
      onPointerLeave={() => setAttended(false)}
      onFocus={() => setAttended(true)}
      onBlur={() => setAttended(false)}
      className="pointer-events-auto flex max-w-[420px] animate-rise items-start gap-3 rounded-panel bg-panel py-2.5 pr-2 pl-3.5 shadow-floating"
    >
      <span className="py-[5px]">
        <StateDot tone={tone}>{WORDS[tone]}</StateDot>
      </span>
      <span className="py-[5px] text-pretty wrap-anywhere">{text}</span>
      {action && (
        <button
          type="button"
          className="py-[5px] font-medium whitespace-nowrap text-accent hover:underline"
          onClick={() => {
            onDismiss();
            action.run();
          }}
        >
          {action.label}
        </button>
      )}
      <IconButton label="Dismiss" icon={<X aria-hidden className="size-3.5" />} onClick={onDismiss} />
    </div>
  );
}
