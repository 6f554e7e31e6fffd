import type { LiveEvent } from './live.ts';
import type { LogEvent } from './log-event.ts';
import type { MetricEvent } from './metrics.ts';

/**
 * One connection for everything that a browser shows: `GET /api/live?topic=...&topic=...`. A browser opens six connections an origin
 * over plain HTTP, so all tabs together hold one stream (a shared worker owns it) and take from it what each asked for.
 *
 * A topic is what follows `/api` in the address of a single stream: `/events?team=ID`, `/deployments/ID/logs?service=web`,
 * `/deployments/ID/metrics/stream`. Each carries its own rights and is audited like the single stream. `#POSITION` at its end is where to
 * go on, as `Last-Event-ID` does there. When what is shown changes, the client opens the stream anew with the positions it has.
 */
export type TopicEvent = LiveEvent | LogEvent | MetricEvent;

export type MultiplexEvent =
  | { type: 'topic'; topic: string; position?: string; event: TopicEvent }
  /** This topic cannot be had; the others go on. `code` as in a problem. */
  | { type: 'refused'; topic: string; code: string; message: string }
  | { type: 'end'; reason: 'signed_out' | 'shutting_down' };

export const MAX_TOPICS = 20;

export function splitTopic(text: string): { topic: string; position?: string } {
  const at = text.lastIndexOf('#');
  return at === -1 ? { topic: text } : { topic: text.slice(0, at), position: text.slice(at + 1) };
}
