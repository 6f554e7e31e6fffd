import { useCallback, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { useMediaQuery } from '../components/use-media-query.ts';
import { useAppearance } from './appearance.ts';
import { rowsInSight } from './rows-in-sight.ts';

/** Below this, all rows are drawn: find-in-page and screen readers then see the whole list. */
const DRAW_ALL_BELOW = 80;

/**
 * Which rows of a long table to draw, and how much room the others take. Rows have one height, so nothing is measured; they come and
 * go in blocks, so that most frames of a scroll change nothing on the page.
 */
export function useRowWindow(count: number) {
  const { density } = useAppearance();
  const narrow = useMediaQuery('(width < 900px)');
  const height = narrow ? 57 : density === 'dense' ? 33 : 41;
  const body = useRef<HTMLDivElement>(null);
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => {
    const measure = () => setOffset((body.current?.getBoundingClientRect().top ?? 0) + window.scrollY);
    measure();
    window.addEventListener('resize', measure);
    return () => window.removeEventListener('resize', measure);
  }, []);
  const all = count < DRAW_ALL_BELOW;
  const look = useCallback(() => {
    if (all) return `0 ${count}`;
    const { from, to } = rowsInSight({ top: window.scrollY - offset, view: window.innerHeight, height, count });
    return `${from} ${to}`;
  }, [all, count, offset, height]);
  // A text, so that it is the same as long as the rows are.
  const [from = 0, to = 0] = useSyncExternalStore(subscribe, look).split(' ').map(Number);
  const indexes = useMemo(() => Array.from({ length: to - from }, (_, index) => from + index), [from, to]);
  return { body, indexes, before: from * height, after: (count - to) * height };
}

function subscribe(listener: () => void): () => void {
  window.addEventListener('scroll', listener, { passive: true });
  window.addEventListener('resize', listener);
  return () => {
    window.removeEventListener('scroll', listener);
    window.removeEventListener('resize', listener);
  };
}
