import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { CliInput } from './context.ts';

/** Questions go to standard error, so that a redirected standard output holds results only. */
export function terminalInput(stdin: NodeJS.ReadStream, stderr: NodeJS.WriteStream): CliInput {
  async function ask(question: string, output: Writable): Promise<string> {
    const reader = createInterface({ input: stdin, output, terminal: true });
    try {
      return await reader.question(question);
    } finally {
      reader.close();
    }
  }
  return {
    isTerminal: stdin.isTTY === true,
    ask: (question) => ask(question, stderr),
    async askHidden(question) {
      stderr.write(question);
      const answer = await ask('', silence());
      stderr.write('\n');
      return answer;
    },
    async readAll() {
      const chunks: Buffer[] = [];
      for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Buffer));
      return Buffer.concat(chunks);
    },
  };
}

/** Takes the echo of what is typed, and shows it to nobody. */
function silence(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
