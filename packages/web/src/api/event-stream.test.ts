import type { StreamMessage } from '@berth/core/event-stream';
import { describe, expect, it } from 'vitest';
import { followEvents, retryDelay } from './event-stream.ts';

function bodyOf(...chunks: string[]): Response {
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
      controller.close();
    },
  });
  return new Response(stream, { status: 200 });
}

describe('followEvents', () => {
  it('comes back with the id of the last message after the connection is lost', async () => {
    const asked: (string | null)[] = [];
    const messages: StreamMessage[] = [];
    await new Promise<void>((resolve) => {
      const stop = followEvents({
        url: '/api/events',
        wait: async () => undefined,
        onStatus: () => undefined,
        onRefused: () => undefined,
        onMessage: (message) => messages.push(message),
        fetch: async (_url, init) => {
          asked.push(new Headers(init?.headers).get('last-event-id'));
          if (asked.length === 1) return bodyOf('id: 1\nevent: a\ndata: {}\n\nid: 2\nev', 'ent: b\ndata: {}\n\n');
          if (asked.length === 2) throw new TypeError('network is down');
          stop();
          resolve();
          return bodyOf('');
        },
      });
    });
    expect(asked).toEqual([null, '2', '2']);
    expect(messages.map((each) => each.event)).toEqual(['a', 'b']);
  });

  it('does not try again when it is refused', async () => {
    let asked = 0;
    const error = await new Promise<Error>((resolve) => {
      followEvents({
        url: '/api/events',
        onStatus: () => undefined,
        onMessage: () => undefined,
        onRefused: resolve,
        fetch: async () => {
          asked += 1;
          return new Response('{}', { status: 401 });
        },
      });
    });
    expect(error.message).toContain('Sign in first');
    expect(asked).toBe(1);
  });

  it('waits longer each time, but never longer than the limit, and never exactly with the others', () => {
    expect([0, 1, 2, 3].map((attempt) => retryDelay(attempt, () => 1))).toEqual([500, 1000, 2000, 4000]);
    expect(retryDelay(50, () => 1)).toBe(15_000);
    expect(retryDelay(50, () => 0)).toBe(7_500);
  });
});
