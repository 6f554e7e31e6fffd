/** One line as the API server sends it with `timestamps=true`: RFC 3339 with nanoseconds, a space, the text. */
export interface LogLine {
  at: string;
  text: string;
}

const LONGEST_TEXT = 16 * 1024;
const STAMPED = /^(\d{4}-\d\d-\d\dT\S+) ?([\s\S]*)$/;

export function parseLogLine(line: string): LogLine {
  const match = STAMPED.exec(line);
  const text = match?.[2] ?? line;
  const shown = text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)} (cut: ${text.length} characters)` : text;
  return { at: match?.[1] ?? '', text: shown };
}

/** Splits a stream of bytes into lines. An end without a newline is a line too; of one without end only the beginning is kept. */
export async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = '';
  let skipping = false;
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (skipping && lines.length > 0) {
      lines.shift();
      skipping = false;
    }
    yield* lines;
    if (rest.length > 4 * LONGEST_TEXT) {
      if (!skipping) yield rest;
      skipping = true;
      rest = '';
    }
  }
  if (rest !== '' && !skipping) yield rest;
}
