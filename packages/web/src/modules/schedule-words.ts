const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const NAMED: Record<string, string> = {
  '@hourly': 'every hour',
  '@daily': 'every day at 00:00',
  '@midnight': 'every day at 00:00',
  '@weekly': 'every Sunday at 00:00',
  '@monthly': 'on the first of each month at 00:00',
  '@yearly': 'every year on 1 January at 00:00',
  '@annually': 'every year on 1 January at 00:00',
};

/** A schedule of cron in words where they are shorter than the truth; otherwise as it is written. */
export function scheduleWords(schedule: string): string {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = schedule.trim().split(/\s+/);
  if (schedule.startsWith('@')) return NAMED[schedule] ?? schedule;
  if (day !== '*' || month !== '*') return schedule;
  if (hour === '*' && weekday === '*') return minutesWords(minute) ?? schedule;
  if (!isNumber(minute)) return schedule;
  const step = /^\*\/(\d+)$/.exec(hour)?.[1];
  if (step && weekday === '*') return `every ${step} hours at :${padded(minute)}`;
  if (!isNumber(hour)) return schedule;
  const time = `${padded(hour)}:${padded(minute)}`;
  if (weekday === '*') return `every day at ${time}`;
  if (weekday === '1-5') return `Monday to Friday at ${time}`;
  const name = /^[0-7]$/.test(weekday) ? DAYS[Number(weekday)] : undefined;
  return name ? `every ${name} at ${time}` : schedule;
}

/** When a job runs, as the start of a sentence. */
export function whenWords({ schedule }: { schedule?: string | undefined }): string {
  if (schedule === undefined) return 'Before services start';
  const words = scheduleWords(schedule);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function minutesWords(minute: string): string | undefined {
  if (minute === '*' || minute === '*/1') return 'every minute';
  const step = /^\*\/(\d+)$/.exec(minute)?.[1];
  if (step) return `every ${step} minutes`;
  return isNumber(minute) ? `every hour at :${padded(minute)}` : undefined;
}

function isNumber(text: string): boolean {
  return /^\d+$/.test(text);
}

function padded(text: string): string {
  return text.padStart(2, '0');
}
