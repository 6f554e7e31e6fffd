import type { LogLevel } from '@berth/core/log-event';
import { logLevelOf } from '@berth/core/log-level';
import type { LogChoice } from './log-choice.ts';
import type { LogLine } from './log-line.ts';
import { type LogCursor, type Mark, sortableTime } from './log-position.ts';
import { type LogClient, type LoggingPod, type LogRequest, readLog } from './pod-logs.ts';

/** A line that is to be told, and the position once it has been. */
export interface PodLine {
  pod: LoggingPod;
  line: LogLine;
  level: LogLevel | undefined;
  mark: Mark;
}

/** How the log of one pod is read. */
export interface PodReader {
  client: LogClient;
  pod: LoggingPod;
  choice: LogChoice;
  cursor: LogCursor;
  signal: AbortSignal;
  /** Why there are no lines, in words. */
  onNotice(message: string): void;
}

type Marked = Pick<PodLine, 'line' | 'mark'>;

const MOST_CHARACTERS_KEPT = 4 * 1024 * 1024;

/** What has been written so far, in order: the last `tail` lines that fit, or all after the cursor. The cursor ends where the log did. */
export function readWritten(reader: PodReader, tail: number | undefined): AsyncGenerator<PodLine> {
  if (tail === undefined) return fitting(reader, readOn(reader, { follow: false }));
  // How far back the lines are that fit, nobody knows.
  if (reader.choice.fits) return lastOf(fitting(reader, readOn(reader, { follow: false })), tail);
  return fitting(reader, readTail(reader, tail));
}

/** What comes, until the container ends. */
export function readFollowing(reader: PodReader): AsyncGenerator<PodLine> {
  return fitting(reader, readOn(reader, { follow: true }));
}

async function* readOn(reader: PodReader, { follow }: { follow: boolean }): AsyncGenerator<Marked> {
  const { cursor } = reader;
  cursor.restart();
  for await (const line of await ask(reader, { follow, since: cursor.since() })) {
    const mark = cursor.take(line);
    if (mark) yield { line, mark };
  }
}

/**
 * A position counts the lines of one instant from the first; a tail may begin amid an instant. So the tail is looked at for when it
 * begins, and read from the beginning of that instant.
 */
async function* readTail(reader: PodReader, tail: number): AsyncGenerator<Marked> {
  const start = await firstInstant(reader, tail);
  if (!start) return;
  reader.cursor.skipTo(start.time);
  const first: Marked[] = [];
  for await (const each of readOn(reader, { follow: false })) {
    if (each.mark.time === start.time) {
      first.push(each);
      if (first.length > start.lines) first.shift();
    } else {
      yield* first.splice(0);
      yield each;
    }
  }
  yield* first;
}

/** When the last lines begin, and how many of them are of that very instant. */
async function firstInstant(reader: PodReader, tail: number): Promise<{ time: string; lines: number } | undefined> {
  let time: string | undefined;
  let lines = 0;
  // Also for whoever wants none of them: what is new must be told from what is not.
  for await (const { at } of await ask(reader, { tail: Math.max(tail, 1), since: reader.choice.since })) {
    const stamp = sortableTime(at);
    time ??= stamp;
    if (stamp === time) lines += 1;
  }
  return time === undefined ? undefined : { time, lines: tail === 0 ? 0 : lines };
}

async function ask(reader: PodReader, what: Partial<LogRequest>): Promise<AsyncIterable<LogLine>> {
  const { client, pod, choice, signal, onNotice } = reader;
  const answer = await readLog(client, { pod, previous: choice.previous, signal, ...what });
  if (typeof answer === 'string') onNotice(answer);
  return answer === undefined || typeof answer === 'string' ? none : answer;
}

const none: AsyncIterable<LogLine> = {
  [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true, value: undefined }) }),
};

async function* fitting({ pod, choice }: PodReader, lines: AsyncIterable<Marked>): AsyncGenerator<PodLine> {
  for await (const { line, mark } of lines) {
    const level = logLevelOf(line.text);
    if (!choice.fits || choice.fits(line, level)) yield { pod, line, level, mark };
  }
}

async function* lastOf(lines: AsyncIterable<PodLine>, count: number): AsyncGenerator<PodLine> {
  const kept: PodLine[] = [];
  let characters = 0;
  for await (const each of lines) {
    kept.push(each);
    characters += each.line.text.length;
    while (kept.length > count || (characters > MOST_CHARACTERS_KEPT && kept.length > 1)) {
      characters -= kept.shift()?.line.text.length ?? 0;
    }
  }
  yield* kept;
}
