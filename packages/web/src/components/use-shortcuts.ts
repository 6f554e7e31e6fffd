import { useEffect, useRef } from 'react';

const SEQUENCE_MILLISECONDS = 1_200;

/**
 * Keys like `c`, `/` or `g d` (one after the other). They rest while something is typed, a dialog or menu is open, or a
 * modifier is held.
 */
export function useShortcuts(shortcuts: Record<string, () => void>): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  useEffect(() => {
    let first: { key: string; at: number } | undefined;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || isBusy(event.target)) return;
      const sequence = first && event.timeStamp - first.at < SEQUENCE_MILLISECONDS ? `${first.key} ${event.key}` : '';
      const run = latest.current[sequence] ?? latest.current[event.key];
      first = { key: event.key, at: event.timeStamp };
      if (!run) return;
      first = undefined;
      event.preventDefault();
      run();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
}

function isBusy(target: EventTarget | null): boolean {
  if (document.querySelector('[role="dialog"], [role="menu"]')) return true;
  return (
    target instanceof HTMLElement &&
    target.closest('input, textarea, select, [contenteditable]') !== null &&
    !isBox(target)
  );
}

function isBox(target: HTMLElement): boolean {
  return target instanceof HTMLInputElement && ['checkbox', 'radio'].includes(target.type);
}
