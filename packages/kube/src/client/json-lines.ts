/** One line of a watch: an object with room to spare over etcd's limit of 1.5 MiB. */
const LONGEST_LINE = 16 * 1024 * 1024;

/**
 * Cuts a byte stream into lines. It pulls one chunk at a time and gives out every line of it before the next, so a slow
 * reader slows the sender. A stream that ends within a line was cut: that is an error, never a line.
 */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    const parts = decoder.decode(chunk, { stream: true }).split('\n');
    const rest = parts.pop() ?? '';
    for (const part of parts) {
      pieces.push(part);
      const line = pieces.join('');
      pieces = [];
      length = 0;
      if (line.trim() !== '') yield line;
    }
    pieces.push(rest);
    length += rest.length;
    if (length > LONGEST_LINE) throw new Error(`a line is longer than ${LONGEST_LINE} characters`);
  }
  if (length + decoder.decode().length > 0) throw new Error('the stream ended in the middle of a line');
}
