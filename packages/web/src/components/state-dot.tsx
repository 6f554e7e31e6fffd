import { classes } from './classes.ts';
import { TONE_TEXT, type Tone } from './tone.ts';

/** A state: dot and word. `moving` says that it will change by itself. */
export function StateDot({ tone, moving, children }: { tone: Tone; moving?: boolean; children: string }) {
  return (
    <span className={classes('inline-flex items-center gap-1.5 font-medium whitespace-nowrap', TONE_TEXT[tone])}>
      <span aria-hidden className={classes('size-[7px] shrink-0 rounded-full bg-current', moving && 'animate-beat')} />
      {children}
    </span>
  );
}
