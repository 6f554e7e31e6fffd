/** One line as the API server sends it with `timestamps=true`: RFC 3339 with nanoseconds, a space, the text. */
export interface LogLine {
  at: string;
  pod: string;
  text: string;
}

const LONGEST_TEXT = 16 * 1024;
const STAMPED = /^(\d{4}-\d\d-\d\dT\S+) ?([\s\S]*)$/;

export function parseLogLine(pod: string, line: string): LogLine {
  const match = STAMPED.exec(line);
  const text = match?.[2] ?? line;
  const shown = text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)} (cut: ${text.length} characters)` : text;
  return { at: match?.[1] ?? '', pod, text: shown };
}

/** Splits a stream of bytes into lines. An end without a newline is a line too; a line without end is cut. */
export async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
    if (rest.length > 4 * LONGEST_TEXT) {
      yield rest;
      rest = '';
    }
  }
  if (rest !== '') yield rest;
}

/**
 * Remembers how far one pod's log has been told. A log that is asked for again from a time begins with lines that are known: all
 * before that time, and as many of that very time as were told.
 */
export interface LogPosition {
  /** Where to go on asking from. */
  since(): string | undefined;
  /** Call before each new reading. */
  restart(): void;
  /** True for a line that has not been told yet. */
  isNew(line: LogLine): boolean;
}

export function createLogPosition(): LogPosition {
  let last = '';
  let toldAtLast = 0;
  let seenAtLast = 0;
  return {
    since: () => (last === '' ? undefined : last),
    restart() {
      seenAtLast = 0;
    },
    isNew({ at }) {
      if (at < last) return false;
      if (at > last) {
        last = at;
        toldAtLast = 1;
        seenAtLast = 1;
        return true;
      }
      seenAtLast += 1;
      if (seenAtLast <= toldAtLast) return false;
      toldAtLast = seenAtLast;
      return true;
    },
  };
}
