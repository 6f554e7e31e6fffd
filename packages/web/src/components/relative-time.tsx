import { useNow } from './use-now.ts';

const UNITS: readonly [string, number][] = [
  ['y', 365 * 86_400],
  ['mo', 30 * 86_400],
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
];

/** `now`, `2 min`, `1 h`, `3 d`: how long ago, in the largest unit that fits. */
export function formatAge(seconds: number): string {
  const unit = UNITS.find(([, size]) => seconds >= size);
  return unit ? `${Math.floor(seconds / unit[1])} ${unit[0]}` : 'now';
}

/** Made once: setting up a format is slow, and long tables ask for many. */
const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** A time as its distance, with the exact one on hover. `ago` writes it as part of a sentence. */
export function RelativeTime({ at, ago }: { at: string; ago?: boolean }) {
  const now = useNow();
  const time = new Date(at);
  const age = formatAge(Math.max(0, (now - time.getTime()) / 1000));
  return (
    <time dateTime={at} title={EXACT.format(time)} className="numeric whitespace-nowrap">
      {ago && age !== 'now' ? `${age} ago` : age}
    </time>
  );
}
