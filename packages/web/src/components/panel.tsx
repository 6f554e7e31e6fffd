import { type ReactNode, useId } from 'react';
import { classes } from './classes.ts';

/** A titled region. */
export function Panel(props: {
  title?: ReactNode;
  count?: number;
  aside?: ReactNode;
  className?: string;
  children: ReactNode;
}) {
  const { title, count, aside, className, children } = props;
  const id = useId();
  return (
    <section
      aria-labelledby={title ? id : undefined}
      className={classes('rounded-panel border border-line bg-panel min-w-0', className)}
    >
      {title && (
        <div className="flex min-h-[41px] flex-wrap items-center gap-x-2 gap-y-1 border-b border-line px-3.5 py-1.5">
          <h2 id={id} className="font-semibold">
            {title}
          </h2>
          {count !== undefined && <Tag>{count}</Tag>}
          {aside && <div className="ml-auto flex min-w-0 max-w-full items-center gap-2 text-muted">{aside}</div>}
        </div>
      )}
      {children}
    </section>
  );
}

export function Tag({ children, className }: { children: ReactNode; className?: string }) {
  return (
    <span
      className={classes(
        'numeric inline-block rounded-small border border-line px-1.5 text-hint leading-[18px] text-muted',
        className,
      )}
    >
      {children}
    </span>
  );
}
