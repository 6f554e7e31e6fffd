import type { RefObject } from 'react';
import { useShortcuts } from './use-shortcuts.ts';

/**
 * `j` and `k` move the focus from row to row of a list whose rows are links; `more` has keys that do something with the row that has
 * it. A row that is not drawn yet comes into being when its neighbour is scrolled to.
 */
export function useListKeys(
  list: RefObject<HTMLElement | null>,
  more: Record<string, (row: HTMLElement) => void> = {},
): void {
  const rows = () => [...(list.current?.querySelectorAll<HTMLElement>('tr[data-link]') ?? [])];
  const current = () => rows().findIndex((row) => row.contains(document.activeElement));
  const move = (by: number) => {
    const all = rows();
    const from = current();
    const to = from === -1 ? firstInSight(all) : Math.min(all.length - 1, Math.max(0, from + by));
    const link = all[to]?.querySelector<HTMLElement>('a[href]');
    link?.focus({ preventScroll: true });
    all[to]?.scrollIntoView({ block: 'nearest' });
  };
  const act = (run: (row: HTMLElement) => void) => () => {
    const row = rows()[current()];
    if (row) run(row);
  };
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    ...Object.fromEntries(Object.entries(more).map(([key, run]) => [key, act(run)])),
  });
}

function firstInSight(rows: readonly HTMLElement[]): number {
  return Math.max(
    0,
    rows.findIndex((row) => row.getBoundingClientRect().top >= 0),
  );
}
