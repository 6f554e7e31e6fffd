import { classes } from '../components/classes.ts';
import { lineDiff, withoutFarLines } from './line-diff.ts';

const LOOKS = {
  same: { ground: '', sign: ' ', spoken: '' },
  added: { ground: 'bg-ok-soft', sign: '+', spoken: 'added: ' },
  removed: { ground: 'bg-bad-soft', sign: '-', spoken: 'removed: ' },
} as const;

/** Two versions of a text, line by line. */
export function TemplateDiff({ before, after }: { before: string; after: string }) {
  const lines = withoutFarLines(lineDiff(before, after));
  if (before === after) return <p className="px-3.5 py-3 text-muted">The two are the same.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <section tabIndex={0} aria-label="Differences" className="overflow-x-auto py-2 -outline-offset-2">
      <ol className="mono min-w-max">
        {lines.map((line, index) =>
          line.kind === 'skipped' ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line has no other name than its place
            <li key={index} className="bg-sunken px-3.5 py-0.5 text-muted">
              {line.count} {line.count === 1 ? 'line' : 'lines'} the same
            </li>
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above
            <li key={index} className={classes('flex gap-3 px-3.5', LOOKS[line.kind].ground)}>
              <span aria-hidden className="w-2 shrink-0 text-muted select-none">
                {LOOKS[line.kind].sign}
              </span>
              <span className="whitespace-pre">
                <span className="sr-only">{LOOKS[line.kind].spoken}</span>
                {line.text}
              </span>
            </li>
          ),
        )}
      </ol>
    </section>
  );
}
