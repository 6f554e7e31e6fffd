import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { createFakeClock } from '@berth/kube/client/testing/fake-clock';
import { describe, expect, it } from 'vitest';
import { createEventWriter } from './event-writer.ts';

/** Takes what it is given only when told to. */
function slowResponse() {
  const taken: string[] = [];
  let take: (() => void) | undefined;
  const stream = new Writable({
    highWaterMark: 10,
    write(chunk: Buffer, _encoding, done) {
      taken.push(chunk.toString());
      take = done;
    },
  });
  return { response: stream as unknown as ServerResponse, taken, take: () => take?.() };
}

describe('the event writer', () => {
  it('writes one event as the protocol wants it', () => {
    const { response, taken } = slowResponse();
    void createEventWriter(response, createFakeClock()).send({ type: 'line', text: 'a\nb' }, 7);
    expect(taken).toEqual(['id: 7\nevent: line\ndata: {"type":"line","text":"a\\nb"}\n\n']);
  });

  it('sends those away whom a server that stops had, each after a moment of its own', () => {
    const { response, taken } = slowResponse();
    const clock = { ...createFakeClock(), random: () => 0.25 };
    void createEventWriter(response, clock).send({ type: 'end', reason: 'shutting_down' });
    expect(taken).toEqual(['retry: 250\nevent: end\ndata: {"type":"end","reason":"shutting_down"}\n\n']);
  });

  it('waits for a slow client before it goes on', async () => {
    const slow = slowResponse();
    const writer = createEventWriter(slow.response, createFakeClock());
    let sent = false;
    const sending = writer.send({ type: 'line' }).then(() => {
      sent = true;
    });
    await Promise.resolve();
    expect(sent).toBe(false);
    slow.take();
    await sending;
    expect(sent).toBe(true);
  });

  it('cuts a client that takes nothing for a minute', async () => {
    const clock = createFakeClock();
    const writer = createEventWriter(slowResponse().response, clock);
    const sending = writer.send({ type: 'line' });
    await clock.advance(61_000);
    await sending;
    expect(writer.closed).toBe(true);
  });

  it('comments when nothing was written for a while, and only then', async () => {
    const clock = createFakeClock();
    const { response, taken } = slowResponse();
    const writer = createEventWriter(response, clock);
    writer.keepAlive();
    expect(taken).toEqual([]);
    await clock.advance(15_000);
    writer.keepAlive();
    expect(taken).toEqual([': still here\n\n']);
  });
});
