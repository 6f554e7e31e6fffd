import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useRef, useState } from 'react';
import { useMediaQuery } from '../components/use-media-query.ts';
import { useAppearance } from './appearance.ts';

/** Below this, all rows are drawn: find-in-page and screen readers then see the whole list. */
const DRAW_ALL_BELOW = 80;

/** Which rows of a long table to draw, and how much room the others take. Rows have one height, so nothing is measured. */
export function useRowWindow(count: number) {
  const { density } = useAppearance();
  const narrow = useMediaQuery('(width < 900px)');
  const height = narrow ? 57 : density === 'dense' ? 33 : 41;
  const body = useRef<HTMLDivElement>(null);
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => {
    const top = body.current?.getBoundingClientRect().top ?? 0;
    setOffset(top + window.scrollY);
  }, []);
  const virtualizer = useWindowVirtualizer({
    count,
    estimateSize: () => height,
    overscan: 12,
    scrollMargin: offset,
  });
  if (count < DRAW_ALL_BELOW) {
    return { body, indexes: Array.from({ length: count }, (_, index) => index), before: 0, after: 0 };
  }
  const items = virtualizer.getVirtualItems();
  const first = items[0];
  const last = items.at(-1);
  return {
    body,
    indexes: items.map((item) => item.index),
    before: first ? first.start - offset : 0,
    after: last ? Math.max(0, count * height - (last.end - offset)) : count * height,
  };
}
