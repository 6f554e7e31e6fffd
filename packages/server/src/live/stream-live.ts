import { isBerthError } from '@berth/core/errors';
import type { MultiplexEvent, TopicEvent } from '@berth/core/stream-topic';
import { splitTopic } from '@berth/core/stream-topic';
import { type Clock, delay } from '@berth/kube/client/clock';
import type { EventSink } from '../http/event-writer.ts';
import type { HandlerContext } from '../http/handler.ts';
import { createAccessCheck } from './access-check.ts';

const LOOK_EVERY_MS = 2_000;

/**
 * Several event streams over one connection, as `core/stream-topic.ts` describes it. Each goes its own way through authorisation
 * and audit; one that ends or is refused leaves the others alone. They share the client's pace.
 */
export async function streamLive(
  { timer }: { timer: Clock },
  context: HandlerContext<'streamLive'>,
): Promise<undefined> {
  const { query, request } = context;
  const events = context.openEvents();
  const access = createAccessCheck(context.access, timer);
  const send = (event: MultiplexEvent) => events.send(event);

  async function follow(topic: string, position: string | undefined): Promise<void> {
    const sink: EventSink = {
      send: (event, at) =>
        send({
          type: 'topic',
          topic,
          ...(at !== undefined && { position: String(at) }),
          event: event as unknown as TopicEvent,
        }),
      keepAlive: () => events.keepAlive(),
      get closed() {
        return events.closed;
      },
    };
    try {
      await context.followTopic({ address: topic, position, events: sink });
    } catch (error) {
      if (!isBerthError(error)) throw error;
      await send({ type: 'refused', topic, code: error.code, message: error.message });
    }
  }

  const asked = new Map([query.topic].flat().map((text) => [splitTopic(text).topic, splitTopic(text).position]));
  const following = Promise.all([...asked].map(([topic, position]) => follow(topic, position)));
  // It is waited for below; until then nobody else may be told that it failed.
  following.catch(() => undefined);
  while (!events.closed && !request.signal.aborted) {
    await delay(timer, LOOK_EVERY_MS, request.signal);
    if (!request.signal.aborted && (await access()) !== 'granted') break;
    events.keepAlive();
  }
  await following;
  if (events.closed) return undefined;
  await send({ type: 'end', reason: request.signal.aborted ? 'shutting_down' : 'signed_out' });
  return undefined;
}
