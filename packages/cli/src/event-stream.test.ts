import { BerthError } from '@berth/core/errors';
import { expect, it } from 'vitest';
import type { ApiClient } from './api-client.ts';
import type { CliContext } from './context.ts';
import { followEventStream } from './event-stream.ts';

/** Answers one after the other; what is thrown is no answer. */
function follow(answers: (string | Error)[]) {
  const asked: (string | undefined)[] = [];
  const waits: number[] = [];
  const notes: string[] = [];
  const client = {
    async send(_name: string, { headers }: { headers: Record<string, string> }) {
      asked.push(headers['last-event-id']);
      const answer = answers.shift() ?? new Error('nobody is there');
      if (answer instanceof Error) throw answer;
      return new Response(answer);
    },
  } as unknown as ApiClient;
  const context = {
    random: () => 0.5,
    wait: async (milliseconds: number) => void waits.push(milliseconds),
    output: { note: (text: string) => void notes.push(text) },
  } as unknown as CliContext;
  const stream = { name: 'streamEvents', input: {}, ended: (data: string) => data === 'last' } as const;
  return { asked, waits, notes, data: followEventStream(context, client, stream) };
}

async function all(data: AsyncGenerator<string>): Promise<string[]> {
  const got: string[] = [];
  for await (const each of data) got.push(each);
  return got;
}

it('goes to the next server when one stops, as late as each says, and without a word', async () => {
  const notReady = new BerthError('unavailable', 'not ready', { retryAfterSeconds: 2 });
  const { asked, waits, notes, data } = follow([
    'id: 4\ndata: one\n\nretry: 120\ndata: moving\n\n',
    notReady,
    'id: 5\ndata: last\n\n',
  ]);
  expect(await all(data)).toEqual(['one', 'moving', 'last']);
  expect(asked).toEqual([undefined, '4', '4']);
  expect(waits).toEqual([120, 2_500]);
  expect(notes).toEqual([]);
});

it('says that the server is away only when it stays away, and gives up at last', async () => {
  const gone = new Error('connect ECONNREFUSED');
  const { waits, notes, data } = follow(Array.from({ length: 100 }, () => gone));
  await expect(all(data)).rejects.toBe(gone);
  expect(notes).toEqual(['the server is away; waiting for it\n']);
  expect(waits.slice(0, 3)).toEqual([187.5, 375, 750]);
  expect(waits.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(85_000);
});

it('does not ask again for what is refused', async () => {
  const refused = new BerthError('forbidden', 'no');
  const { waits, data } = follow([refused]);
  await expect(all(data)).rejects.toBe(refused);
  expect(waits).toEqual([]);
});
