import { describe, expect, it } from 'vitest';
import { isAtLeast, logLevelOf } from './log-level.ts';

describe('the level of a log line', () => {
  it.each([
    ['ERROR password authentication failed', 'error'],
    ['2026-01-01 10:00:00.123 UTC [71] LOG:  database system is ready to accept connections', 'info'],
    ['2026-01-01 10:00:00.123 UTC [71] FATAL:  role "x" does not exist', 'error'],
    ['2026-01-01 [warn] slow', 'warning'],
    ['[ Error ] cannot open', 'error'],
    ['{"level":50,"msg":"x"}', 'error'],
    ['{"level":30,"msg":"error: nothing"}', 'info'],
    ['{"time":"now","severity":"WARNING","msg":"error count 0"}', 'warning'],
    ['time=12:00 level=debug msg="an ERROR in a message"', 'debug'],
    ['E0102 10:00:00.1 1 main.go:3] cannot', 'error'],
    ['W0102 10:00:00.1 1 main.go:3] slow', 'warning'],
    ['<11>app: broken', 'error'],
    ['<14>app: fine', 'info'],
    ['\u001b[33mWARN\u001b[39m deprecated', 'warning'],
    ['panic: runtime error: index out of range', 'error'],
    ['TypeError: x is not a function', 'error'],
    ['Traceback (most recent call last):', 'error'],
    ['npm warn: old lockfile', 'warning'],
    ['INFO 0 errors, no ERROR at all', 'info'],
    ['error: relation does not exist', 'error'],
    ['GET /errors 200', undefined],
    ['GET /ERROR 200', undefined],
    ['0 errors found', undefined],
    ['the constructor of hasOwnProperty: fine', undefined],
    ['', undefined],
  ])('%s', (text, level) => expect(logLevelOf(text)).toBe(level));

  it('counts as info when nothing is said', () => {
    expect(isAtLeast(undefined, 'info')).toBe(true);
    expect(isAtLeast(undefined, 'warning')).toBe(false);
    expect(isAtLeast('error', 'warning')).toBe(true);
  });
});
