/** One message of an event stream, as the HTML standard reads it. */
export interface SseMessage {
  event: string;
  data: string;
  id: string | undefined;
}

/** Turns chunks of text into messages. Keeps what is unfinished for the next chunk; comments and unknown fields are skipped. */
export function sseParser(): (chunk: string) => SseMessage[] {
  let rest = '';
  let event = '';
  let data: string[] = [];
  let id: string | undefined;

  const takeLine = (line: string): SseMessage | undefined => {
    if (line === '') {
      const message = data.length === 0 ? undefined : { event: event || 'message', data: data.join('\n'), id };
      event = '';
      data = [];
      return message;
    }
    if (line.startsWith(':')) return undefined;
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') data.push(value);
    else if (field === 'event') event = value;
    else if (field === 'id' && !value.includes('\0')) id = value;
    return undefined;
  };

  return (chunk) => {
    // A CR at the end may be half of a CRLF: it waits for the next chunk.
    const text = rest + chunk;
    const lines = text.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    return lines.flatMap((line) => takeLine(line) ?? []);
  };
}
