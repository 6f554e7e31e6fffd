import type { RouteName } from '@berth/core/api';
import { isBerthError } from '@berth/core/errors';
import { eventStreamParser, type StreamMessage } from '@berth/core/event-stream';
import type { ApiClient, CallInput } from './api-client.ts';
import type { CliContext } from './context.ts';
import { CliError } from './exit-codes.ts';

const RECONNECT_MS = 1_000;
const MOST_RECONNECTS = 30;

/** Messages of a Server-Sent Events answer, as they come. Ends when the answer does. */
export async function* readEventStream(response: Response): AsyncGenerator<StreamMessage> {
  if (!response.body) return;
  const parse = eventStreamParser();
  const decoder = new TextDecoder();
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    yield* parse(decoder.decode(chunk, { stream: true }));
  }
}

/**
 * The same over broken connections: comes back with the last id, so that nothing is missed or told twice. Ends only when the
 * reader does, or when the server has been away for too long.
 */
export async function* followEventStream<N extends RouteName>(
  context: CliContext,
  client: ApiClient,
  stream: { name: N; input: CallInput<N>; ended: (data: string) => boolean },
): AsyncGenerator<string> {
  let lastId: string | undefined;
  for (let failures = 0; ; failures++) {
    stream.input.signal?.throwIfAborted();
    try {
      const headers = { ...(lastId !== undefined && { 'last-event-id': lastId }) };
      const response = await client.send(stream.name, { ...stream.input, headers });
      for await (const message of readEventStream(response)) {
        failures = 0;
        lastId = message.id ?? lastId;
        yield message.data;
        if (stream.ended(message.data)) return;
      }
    } catch (error) {
      const passing = !isBerthError(error) || isBerthError(error, 'unavailable');
      if (stream.input.signal?.aborted || !passing || failures >= MOST_RECONNECTS) throw error;
      if (failures === 0 && error instanceof CliError) context.output.note('the server is away; waiting for it\n');
    }
    await context.wait(RECONNECT_MS, stream.input.signal);
  }
}
