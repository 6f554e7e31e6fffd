import { LOG_LEVELS, type LogLevel } from './log-event.ts';

/**
 * How serious a log line says that it is: by its JSON or logfmt field, the prefix of klog or syslog, or a word near its start. The
 * same word later in a line is only talk ("0 errors found").
 */
const WORDS: Record<string, LogLevel> = {
  trace: 'debug',
  debug: 'debug',
  dbg: 'debug',
  verbose: 'debug',
  fine: 'debug',
  info: 'info',
  information: 'info',
  log: 'info',
  notice: 'info',
  warn: 'warning',
  warning: 'warning',
  err: 'error',
  error: 'error',
  severe: 'error',
  crit: 'error',
  critical: 'error',
  fatal: 'error',
  panic: 'error',
  alert: 'error',
  emerg: 'error',
  emergency: 'error',
};
const KLOG: Record<string, LogLevel> = { D: 'debug', I: 'info', W: 'warning', E: 'error', F: 'error' };
/** RFC 5424: emergency, alert, critical, error, warning, notice, informational, debug. */
const SYSLOG: readonly LogLevel[] = ['error', 'error', 'error', 'error', 'warning', 'info', 'info', 'debug'];
/** pino and bunyan count in tens. */
const NUMBERED: readonly (readonly [number, LogLevel])[] = [
  [50, 'error'],
  [40, 'warning'],
  [30, 'info'],
  [0, 'debug'],
];

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours start with the escape character
const TERMINAL_CODES = /\u001b\[[0-9;?]*[A-Za-z]/g;
const JSON_FIELD = /"(?:level|severity|lvl|loglevel|levelname|log\.level)"\s*:\s*(?:"([^"]{1,20})"|(\d{1,3})\b)/i;
const LOGFMT_FIELD = /(?:^|\s)(?:level|lvl|severity)=["']?([A-Za-z]{3,11})\b/i;
const KLOG_PREFIX = /^([DIWEF])\d{4} \d\d:\d\d/;
const SYSLOG_PREFIX = /^<(\d{1,3})>/;
const CAPITAL_WORD = /(?:^|[^\w/.-])([A-Z]{3,11})(?![\w/-])/g;
const MARKED_WORD = /\[\s*([A-Za-z]{3,11})\s*\]|^(?:[^\s:]{1,30} )?([A-Za-z]{3,11}):/g;
const EXCEPTION =
  /^(?:Uncaught |Unhandled )?(?:[\w$.]*(?:Error|Exception)\b(?: \[\w+\])?:|Traceback \(most recent call last\))/;
const FIELDS_WITHIN = 2000;
const WORD_WITHIN = 80;

export function logLevelOf(line: string): LogLevel | undefined {
  const text = line.slice(0, FIELDS_WITHIN).replace(TERMINAL_CODES, '');
  return byField(text) ?? byPrefix(text) ?? byWord(text.slice(0, WORD_WITHIN));
}

/** Lines that say nothing of themselves count as `info`. */
export function isAtLeast(level: LogLevel | undefined, least: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level ?? 'info') >= LOG_LEVELS.indexOf(least);
}

function byField(text: string): LogLevel | undefined {
  const [, word, number] = (text.trimStart().startsWith('{') && JSON_FIELD.exec(text)) || [];
  if (number !== undefined) return NUMBERED.find(([from]) => Number(number) >= from)?.[1];
  return levelNamed(word ?? LOGFMT_FIELD.exec(text)?.[1]);
}

function byPrefix(text: string): LogLevel | undefined {
  const letter = KLOG_PREFIX.exec(text)?.[1];
  if (letter !== undefined) return KLOG[letter];
  const priority = SYSLOG_PREFIX.exec(text)?.[1];
  if (priority !== undefined) return SYSLOG[Number(priority) % 8];
  return EXCEPTION.test(text) ? 'error' : undefined;
}

function byWord(head: string): LogLevel | undefined {
  for (const pattern of [MARKED_WORD, CAPITAL_WORD]) {
    for (const [, first, second] of head.matchAll(pattern)) {
      const level = levelNamed(first ?? second);
      if (level) return level;
    }
  }
  return undefined;
}

function levelNamed(word: string | undefined): LogLevel | undefined {
  const name = word?.toLowerCase();
  return name !== undefined && Object.hasOwn(WORDS, name) ? WORDS[name] : undefined;
}
