import type { RouteName } from '@berth/core/api';
import { ERROR_CODES, isBerthError } from '@berth/core/errors';
import { eventStreamParser, type StreamMessage } from '@berth/core/event-stream';
import type { ApiClient, CallInput } from './api-client.ts';
import { createComeBack, type Lost } from './come-back.ts';
import type { CliContext } from './context.ts';

const GIVE_UP_AFTER_MS = 90_000;

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
  const { signal } = stream.input;
  const comeBack = createComeBack(context, {
    giveUpAfterMs: GIVE_UP_AFTER_MS,
    signal,
    words: 'the server is away; waiting for it\n',
  });
  let lastId: string | undefined;
  for (;;) {
    signal?.throwIfAborted();
    const lost: Lost = {};
    try {
      const headers = { ...(lastId !== undefined && { 'last-event-id': lastId }) };
      const response = await client.send(stream.name, { ...stream.input, headers });
      for await (const message of readEventStream(response)) {
        comeBack.arrived();
        lost.retryMs = message.retry;
        lastId = message.id ?? lastId;
        yield message.data;
        if (stream.ended(message.data)) return;
      }
    } catch (error) {
      if (signal?.aborted || !passes(error)) throw error;
      lost.error = error;
    }
    await comeBack.pause(lost);
  }
}

/** What may be otherwise soon: also what something between us and the server says. */
function passes(error: unknown): boolean {
  return !isBerthError(error) || ERROR_CODES[error.code].retry;
}
