/** One message of Server-Sent Events, as the HTML standard reads it. */
export interface StreamMessage {
  event: string;
  data: string;
  /** The last one that was sent, also with an earlier message: where to go on. */
  id: string | undefined;
  /** Milliseconds to wait before coming back, should the server have said so with it. */
  retry?: number;
}

/** Turns chunks of text into messages. Keeps what is unfinished for the next chunk; comments and unknown fields are skipped. */
export function eventStreamParser(): (chunk: string) => StreamMessage[] {
  let rest = '';
  let event = '';
  let data: string[] = [];
  let id: string | undefined;
  let retry: number | undefined;

  const finish = (): StreamMessage | undefined => {
    const message: StreamMessage = { event: event || 'message', data: data.join('\n'), id };
    if (retry !== undefined) message.retry = retry;
    const isEmpty = data.length === 0;
    event = '';
    data = [];
    retry = undefined;
    return isEmpty ? undefined : message;
  };

  const takeLine = (line: string): StreamMessage | undefined => {
    if (line === '') return finish();
    if (line.startsWith(':')) return undefined;
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') data.push(value);
    else if (field === 'event') event = value;
    else if (field === 'id' && !value.includes('\0')) id = value;
    else if (field === 'retry' && /^\d+$/.test(value)) retry = Number(value);
    return undefined;
  };

  return (chunk) => {
    // A CR at the end may be half of a CRLF: it waits for the next chunk. Only what is new is searched: one message may be megabytes.
    const waiting = rest.endsWith('\r');
    const begun = waiting ? rest.slice(0, -1) : rest;
    const lines = (waiting ? `\r${chunk}` : chunk).split(/\r\n|\n|\r(?!$)/);
    lines[0] = begun + (lines[0] ?? '');
    rest = lines.pop() ?? '';
    return lines.flatMap((line) => takeLine(line) ?? []);
  };
}
