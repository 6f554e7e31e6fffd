import { Cron } from 'croner';

/**
 * When a CronJob runs: five fields, or a name such as `@daily`, or `@every 1h30m`, as Kubernetes reads them; in UTC unless a time
 * zone is given.
 *
 * Where clocks change, one run belongs to one intended local time. A fixed hour that is skipped runs as much later as the clock
 * jumped, one that comes twice runs once. A schedule of every hour (`*` as its hour) goes on by the time that passes.
 */
export interface CronSchedule {
  /** The first time after this one; undefined when there is none, as for the 31st of February. */
  next(after: number): number | undefined;
}

export const DEFAULT_TIME_ZONE = 'UTC';

const NAMES: Record<string, string> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};
const VALUE = '(\\d+|[a-z]{3})';
const FIELD = new RegExp(`^(\\*|\\?|${VALUE}(-${VALUE})?)(/[1-9]\\d*)?$`, 'i');
const EVERY = /^@every ((\d+h)?(\d+m)?(\d+s)?)$/;
const MINUTE_MS = 60_000;

/** Throws an Error that says what is wrong with it. */
export function parseCronSchedule(text: string, timeZone = DEFAULT_TIME_ZONE): CronSchedule {
  if (text.startsWith('@every ')) return everySchedule(text);
  const pattern = NAMES[text] ?? text.trim();
  if (pattern.startsWith('@')) throw new Error(`unrecognized descriptor: ${text}`);
  const fields = pattern.split(/\s+/);
  if (fields.length !== 5) throw new Error(`expected exactly 5 fields, found ${fields.length}: ${text}`);
  for (const part of fields.flatMap((field) => field.split(',')))
    if (!FIELD.test(part)) throw new Error(`failed to parse ${JSON.stringify(part)} of ${JSON.stringify(text)}`);
  if (/7/.test(fields[4]!.replace(/\/\d+/g, ''))) throw new Error('a day of the week is 0 (Sunday) to 6, or its name');
  // To croner `?` is the moment of parsing; to Kubernetes it is `*`.
  const plain = pattern.replaceAll('?', '*');
  const nextIn = (where: { timezone: string } | { utcOffset: number }) => (after: number) =>
    new Cron(plain, { ...where, paused: true }).nextRun(new Date(after))?.getTime();
  const next = nextIn({ timezone: timeZone });
  // Reads the pattern and the zone: what is wrong with either is said now.
  next(0);
  if (fields[1] !== '*' && fields[1] !== '?') return { next };
  return { next: (after) => nextByElapsed(after, timeZone, (offset) => nextIn({ utcOffset: offset })) };
}

/** With the offset that holds then; when it changes before the next run, with the new one from the change on. */
function nextByElapsed(
  after: number,
  timeZone: string,
  nextAt: (offset: number) => (after: number) => number | undefined,
): number | undefined {
  const offset = offsetMinutes(after, timeZone);
  const found = nextAt(offset)(after);
  if (found === undefined || offsetMinutes(found, timeZone) === offset) return found;
  let [before, since] = [after, found];
  while (since - before > MINUTE_MS) {
    const middle = Math.floor((before + since) / 2);
    if (offsetMinutes(middle, timeZone) === offset) before = middle;
    else since = middle;
  }
  const change = Math.floor(since / MINUTE_MS) * MINUTE_MS;
  return nextAt(offsetMinutes(found, timeZone))(Math.max(after, change - 1000));
}

function offsetMinutes(at: number, timeZone: string): number {
  const options = { timeZone, timeZoneName: 'longOffset' } as const;
  const name = new Intl.DateTimeFormat('en-US', options).formatToParts(at).find(({ type }) => type === 'timeZoneName');
  const match = /GMT([+-])(\d\d):(\d\d)/.exec(name?.value ?? '');
  if (!match) return 0;
  return (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3]));
}

function everySchedule(text: string): CronSchedule {
  const match = EVERY.exec(text);
  const [hours, minutes, seconds] = [2, 3, 4].map((part) => Number.parseInt(match?.[part] ?? '0', 10));
  const milliseconds = ((hours! * 60 + minutes!) * 60 + seconds!) * 1000;
  if (!match || milliseconds === 0) throw new Error(`failed to parse duration ${text}: write it as 1h30m`);
  return { next: (after) => Math.floor(after / 1000) * 1000 + milliseconds };
}

export interface DueRun {
  /** The latest time not after `now`; undefined when there was none. */
  at: number | undefined;
  /** How many there were since; counted up to a limit. */
  missed: 'none' | 'one' | 'few' | 'many';
}

const MANY = 100;

/** The run that is due at `now` when the last thing known was at `since`: of several missed ones the latest. */
export function dueRun(schedule: CronSchedule, since: number, now: number): DueRun {
  let at: number | undefined;
  let from = since;
  for (let count = 0; count <= MANY; count++) {
    const next = schedule.next(from);
    if (next === undefined || next > now) return { at, missed: (['none', 'one'] as const)[count] ?? 'few' };
    at = next;
    from = next;
  }
  return { at: latestBefore(schedule, since, now), missed: 'many' };
}

/** Looks back from now in steps that double, then forward: the years that a machine was off need no walking through. */
function latestBefore(schedule: CronSchedule, since: number, now: number): number | undefined {
  for (let back = MINUTE_MS; ; back *= 2) {
    const start = Math.max(now - back, since);
    let latest: number | undefined;
    for (let next = schedule.next(start); next !== undefined && next <= now; next = schedule.next(next)) latest = next;
    if (latest !== undefined || start === since) return latest;
  }
}
