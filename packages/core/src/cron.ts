/**
 * The five fields of a schedule as CronJobs of Kubernetes take them: lists, ranges, steps, names of months and days. Sunday is 0 and never 7;
 * there is no L, W or #.
 */
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const FIELDS: readonly { name: string; min: number; max: number; names?: readonly string[] }[] = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of the month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, names: MONTHS },
  { name: 'day of the week', min: 0, max: 6, names: DAYS },
];
const SHORTHANDS = new Set(['@hourly', '@daily', '@midnight', '@weekly', '@monthly', '@yearly', '@annually']);

/** What is wrong with a schedule, in words; undefined when it is right. */
export function scheduleProblem(schedule: string): string | undefined {
  const text = schedule.trim();
  if (text.startsWith('@')) {
    return SHORTHANDS.has(text) ? undefined : `there is no "${text}"; there are ${[...SHORTHANDS].join(', ')}`;
  }
  const fields = text.split(/\s+/);
  if (fields.length !== FIELDS.length) {
    return 'write a schedule as five fields, such as "*/15 * * * *", or as @hourly, @daily, @weekly or @monthly';
  }
  for (const [index, field] of FIELDS.entries()) {
    const wrong = (fields[index] ?? '').split(',').find((part) => !isPart(part, field));
    if (wrong !== undefined) return `"${wrong}" is no ${field.name}, which is ${field.min} to ${field.max}`;
  }
  return undefined;
}

/** `*`, `5`, `1-5`, and each with a step: `*\/15`, `10-30/5`. */
function isPart(part: string, field: (typeof FIELDS)[number]): boolean {
  const [, range = '', step] = /^([^/]+)(?:\/(\d+))?$/.exec(part) ?? [];
  if (step !== undefined && Number(step) < 1) return false;
  if (range === '*' || range === '?') return true;
  const [from = Number.NaN, to = from, ...more] = range.split('-').map((text) => numberOf(text, field));
  return more.length === 0 && from >= field.min && to <= field.max && from <= to;
}

function numberOf(text: string, { min, names }: (typeof FIELDS)[number]): number {
  const named = names?.indexOf(text.toLowerCase()) ?? -1;
  if (named !== -1) return named + min;
  return /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
}
