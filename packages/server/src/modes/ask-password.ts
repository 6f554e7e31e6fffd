import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/** Asked for twice at a terminal, without showing it; else the whole of standard input, less one line end. */
export async function askPassword(stdin: NodeJS.ReadStream, stderr: NodeJS.WriteStream): Promise<string> {
  if (!stdin.isTTY) return readAll(stdin);
  const first = await ask('Password: ', stdin, stderr);
  const second = await ask('The same again: ', stdin, stderr);
  if (first !== second) throw new Error('the two passwords differ; nothing was done');
  return first;
}

async function ask(question: string, stdin: NodeJS.ReadStream, stderr: NodeJS.WriteStream): Promise<string> {
  stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: stdin, output: nowhere, terminal: true });
  try {
    return await reader.question('');
  } finally {
    reader.close();
    stderr.write('\n');
  }
}

async function readAll(stdin: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Buffer));
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '');
}
