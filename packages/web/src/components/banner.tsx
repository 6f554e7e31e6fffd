import { type ReactNode, useEffect, useRef } from 'react';
import { classes } from './classes.ts';
import { TONE_BANNER, type Tone } from './tone.ts';

/** Says what is wrong, why, what still works and what to do. Failures interrupt a screen reader, the rest waits. */
export function Banner(props: {
  tone: Tone;
  title: ReactNode;
  children?: ReactNode;
  action?: ReactNode;
  /** Over the whole width, under the words: lines of a log, a list. */
  below?: ReactNode;
  className?: string;
  /** For what answers a click elsewhere on the page: it comes into view and is read. */
  takesFocus?: boolean;
}) {
  const { tone, title, children, action, below, className, takesFocus } = props;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (takesFocus) box.current?.focus();
  }, [takesFocus]);
  return (
    <div
      ref={box}
      tabIndex={takesFocus ? -1 : undefined}
      role={tone === 'bad' ? 'alert' : 'status'}
      className={classes(
        'flex flex-wrap items-center gap-x-4 gap-y-2 rounded-panel border px-3.5 py-[11px]',
        TONE_BANNER[tone],
        className,
      )}
    >
      <div className="min-w-0 flex-1 basis-72">
        <p className="font-semibold text-pretty">{title}</p>
        {children && <div className="text-muted text-pretty wrap-anywhere">{children}</div>}
      </div>
      {action && <div className="flex flex-wrap gap-x-3 gap-y-2">{action}</div>}
      {below && <div className="min-w-0 basis-full empty:hidden">{below}</div>}
    </div>
  );
}
