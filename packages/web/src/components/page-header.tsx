import { type ReactNode, useEffect, useRef } from 'react';
import { classes } from './classes.ts';

let pagesShown = 0;

/**
 * The top of every page: sets the document's title and, after a navigation, takes the focus, so that keyboard and screen
 * reader start where the new page does.
 */
export function PageHeader(props: {
  title: string;
  /** After the title in the browser's tab: the team. */
  place?: string;
  before?: ReactNode;
  beside?: ReactNode;
  actions?: ReactNode;
  className?: string;
}) {
  const { title, place, before, beside, actions, className } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    pagesShown += 1;
    if (pagesShown > 1) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <header className={classes('mb-4 flex flex-wrap items-center gap-x-2.5 gap-y-2', className)}>
      <title>{[title, place, 'Berth'].filter(Boolean).join(' · ')}</title>
      {before}
      <h1 ref={heading} tabIndex={-1} className="min-w-0 text-title font-semibold tracking-[-0.01em] wrap-anywhere">
        {title}
      </h1>
      {beside}
      {actions && <div className="ml-auto flex items-center gap-2 max-wide:has-[input]:basis-full">{actions}</div>}
    </header>
  );
}
