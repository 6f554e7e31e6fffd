import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { classes } from './classes.ts';

export interface Tab {
  to: string;
  label: ReactNode;
  current: boolean;
}

/** Tabs that are links: each is an address of its own, so this is navigation and not a tab list. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  return (
    <nav
      aria-label={label}
      className="mb-4 flex gap-[18px] overflow-x-auto border-b border-line [scrollbar-width:none] max-wide:-mx-4 max-wide:px-4"
    >
      {tabs.map(({ to, label: text, current }) => (
        <Link
          key={to}
          to={to}
          preventScrollReset
          aria-current={current ? 'page' : undefined}
          className={classes(
            'relative py-[7px] whitespace-nowrap -outline-offset-2 pointer-coarse:py-2.5',
            current
              ? 'font-medium after:absolute after:inset-x-0 after:bottom-0 after:h-0.5 after:bg-accent'
              : 'text-muted hover:text-text',
          )}
        >
          {text}
        </Link>
      ))}
    </nav>
  );
}
