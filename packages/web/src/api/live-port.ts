import type { TopicEvent } from '@berth/core/stream-topic';
import type { HubMember, TopicHub } from './topic-hub.ts';
import type { LiveStatus, TopicProblem } from './topic-lines.ts';

/**
 * What a tab and the hub say to each other over a MessagePort. A tab that vanishes says nothing: one that has not said `alive` for a
 * while is dropped, and told so should it come back (a browser may have frozen it).
 */
export type ToHub =
  | { kind: 'hello'; userId: string }
  | { kind: 'subscribe'; id: number; topic: string }
  | { kind: 'unsubscribe'; id: number }
  | { kind: 'alive' }
  | { kind: 'leave' };

export type ToTab =
  | { kind: 'events'; id: number; events: TopicEvent[] }
  | { kind: 'refused'; id: number; problem: TopicProblem }
  | { kind: 'status'; status: LiveStatus }
  | { kind: 'signed-out' }
  /** Say hello and subscribe again: nothing of you is known here. */
  | { kind: 'who' };

/** What is used of a MessagePort. */
export interface Port<Out, In> {
  postMessage(message: Out): void;
  onmessage: ((event: { data: In }) => void) | null;
  close(): void;
}

export const ALIVE_EVERY_MILLISECONDS = 15_000;
/** A tab in the background may run its timers once a minute only. */
const GONE_AFTER_MILLISECONDS = 150_000;

/** Serves one tab. */
export function serveTab(hub: TopicHub, port: Port<ToTab, ToHub>): void {
  let member: HubMember | undefined;
  let watch: ReturnType<typeof setTimeout> | undefined;
  const leave = () => {
    clearTimeout(watch);
    member?.leave();
    member = undefined;
  };
  const alive = () => {
    clearTimeout(watch);
    watch = setTimeout(leave, GONE_AFTER_MILLISECONDS);
  };
  port.onmessage = ({ data }) => {
    if (data.kind === 'leave') return leave();
    if (data.kind === 'hello') {
      leave();
      member = hub.join(
        {
          onEvents: (id, events) => port.postMessage({ kind: 'events', id, events }),
          onRefused: (id, problem) => port.postMessage({ kind: 'refused', id, problem }),
          onStatus: (status) => port.postMessage({ kind: 'status', status }),
          onSignedOut: () => port.postMessage({ kind: 'signed-out' }),
        },
        data.userId,
      );
    }
    if (!member) return port.postMessage({ kind: 'who' });
    alive();
    if (data.kind === 'subscribe') member.subscribe(data.id, data.topic);
    if (data.kind === 'unsubscribe') member.unsubscribe(data.id);
  };
}
