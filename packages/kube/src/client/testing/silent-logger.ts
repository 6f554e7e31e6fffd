import type { Logger } from '../logger.ts';

export interface LogRecord {
  level: 'debug' | 'info' | 'warn' | 'error';
  message: string;
  fields: Record<string, unknown>;
}

/** Prints nothing and keeps everything, fields of child loggers included. */
export function createSilentLogger(records: LogRecord[] = []): Logger & { records: LogRecord[] } {
  const make = (bound: Record<string, unknown>): Logger => {
    const write = (level: LogRecord['level']) => (fields: object, message: string) => {
      records.push({ level, message, fields: { ...bound, ...fields } });
    };
    return {
      debug: write('debug'),
      info: write('info'),
      warn: write('warn'),
      error: write('error'),
      child: (fields) => make({ ...bound, ...fields }),
    };
  };
  return { ...make({}), records };
}
