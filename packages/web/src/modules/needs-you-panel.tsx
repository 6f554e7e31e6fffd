import { ButtonLink } from '../components/button.tsx';
import { classes } from '../components/classes.ts';
import { Panel } from '../components/panel.tsx';
import { TONE_GROUND } from '../components/tone.ts';
import type { Need } from './needs-you.ts';

const TONE_WORDS: Record<Need['tone'], string> = { bad: 'Wrong: ', warn: 'At a limit: ', info: 'Near a limit: ' };

export function NeedsYouPanel({ needs }: { needs: readonly Need[] }) {
  if (needs.length === 0) return undefined;
  return (
    <Panel title="Needs you" count={needs.length}>
      <ul>
        {needs.map(({ key, tone, subject, sentence, cause, action }) => (
          <li key={key} className="flex gap-3 border-b border-line px-3.5 py-[11px] last:border-0">
            <span aria-hidden className={classes('w-[3px] shrink-0 rounded-full', TONE_GROUND[tone])} />
            <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-4 gap-y-1">
              <p className="min-w-0 flex-1 basis-64 wrap-anywhere">
                <span className="sr-only">{TONE_WORDS[tone]}</span>
                {subject && <b>{subject}</b>} {sentence}
                {cause && <span className="line-clamp-2 text-muted">{cause}</span>}
              </p>
              <ButtonLink look="link" to={action.to}>
                {action.label}
                {subject && <span className="sr-only"> of {subject}</span>}
              </ButtonLink>
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
