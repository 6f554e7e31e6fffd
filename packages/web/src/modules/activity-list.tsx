import type { Activity } from '@berth/core/deployment';
import { Link } from 'react-router';
import { classes } from '../components/classes.ts';
import { RelativeTime } from '../components/relative-time.tsx';
import { TONE_GROUND, type Tone } from '../components/tone.ts';
import { activityWords, withoutEchoes } from './activity-words.ts';
import { paths } from './paths.ts';

const TONES: Record<Activity['level'], Tone> = { info: 'info', ok: 'ok', warning: 'warn', failure: 'bad' };
const WORDS: Record<Activity['level'], string> = { info: '', ok: '', warning: 'Warning: ', failure: 'Failure: ' };

/** Characters that three lines hardly hold: the rest shows on hover, and on the deployment's own page. */
const LONG = 140;

/** What happened, newest first. `names` also says which deployment it was. */
export function ActivityList({ activity, names }: { activity: readonly Activity[]; names?: boolean }) {
  return (
    <ol className="px-3.5 py-2">
      {withoutEchoes(activity).map((each) => (
        <li key={each.id} className="grid grid-cols-[46px_8px_minmax(0,1fr)] gap-2.5 py-1">
          <span className="text-faint">
            <RelativeTime at={each.at} />
          </span>
          <span
            aria-hidden
            className={classes(
              'mt-[7px] size-[7px] rounded-full',
              each.level === 'info' && each.kind === 'event' ? TONE_GROUND.neutral : TONE_GROUND[TONES[each.level]],
            )}
          />
          <span
            className="line-clamp-3 text-pretty wrap-anywhere"
            title={each.message.length > LONG ? each.message : undefined}
          >
            <span className="sr-only">{WORDS[each.level]}</span>
            {names && each.deployment && (
              <Link className="font-medium hover:underline" to={paths.deployment(each.teamId, each.deployment)}>
                {each.deployment}
              </Link>
            )}
            {names && each.deployment ? ' ' : ''}
            {!names && each.service && <span className="font-medium">{each.service} </span>}
            {names || each.service ? activityWords(each) : each.message}
            {each.by && <span className="text-muted"> by {each.by}</span>}
          </span>
        </li>
      ))}
    </ol>
  );
}
