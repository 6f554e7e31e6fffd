import type { TopicEvent } from '@berth/core/stream-topic';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { aDeployment } from '../testing/fixtures.ts';
import { retryDelay } from './topic-connection.ts';
import { createTopicHub, type HubTab } from './topic-hub.ts';
import type { LiveStatus } from './topic-lines.ts';

/** A server that holds the connections it is asked for, and says what a test tells it to. */
function aServer() {
  const opened: {
    topics: string[];
    say: (...events: object[]) => void;
    sendAway: (milliseconds: number) => void;
    hangUp: () => void;
    aborted: boolean;
  }[] = [];
  let status = 200;
  let headers: Record<string, string> = {};
  const request = async (url: string, init: RequestInit) => {
    if (status !== 200) {
      opened.push({
        topics: topicsOf(url),
        say: () => undefined,
        sendAway: () => undefined,
        hangUp: () => undefined,
        aborted: true,
      });
      return new Response('{}', { status, headers });
    }
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>({
      start(given) {
        controller = given;
      },
    });
    const connection = {
      topics: topicsOf(url),
      aborted: false,
      say: (...events: object[]) =>
        controller?.enqueue(
          new TextEncoder().encode(events.map((event) => `event: x\ndata: ${JSON.stringify(event)}\n\n`).join('')),
        ),
      sendAway: (milliseconds: number) =>
        controller?.enqueue(
          new TextEncoder().encode(
            `retry: ${milliseconds}\nevent: end\ndata: {"type":"end","reason":"shutting_down"}\n\n`,
          ),
        ),
      hangUp: () => controller?.close(),
    };
    init.signal?.addEventListener('abort', () => {
      if (connection.aborted) return;
      connection.aborted = true;
      controller?.error(new Error('aborted'));
    });
    opened.push(connection);
    return new Response(body, { status: 200 });
  };
  return {
    opened,
    fetch: request as unknown as typeof fetch,
    answer: (next: number, more: Record<string, string> = {}) => {
      status = next;
      headers = more;
    },
    get open() {
      return opened.filter((each) => !each.aborted);
    },
    last: () => opened.at(-1) as (typeof opened)[number],
  };
}

const topicsOf = (url: string) => new URL(url, 'http://x').searchParams.getAll('topic');

function aTab() {
  const told: (readonly [number, TopicEvent['type'] | 'refused'])[] = [];
  const states: LiveStatus['state'][] = [];
  let signedOut = 0;
  const tab: HubTab = {
    onEvents: (id, events) => void told.push(...events.map(({ type }) => [id, type] as const)),
    onRefused: (id) => void told.push([id, 'refused']),
    onStatus: ({ state }) => void states.push(state),
    onSignedOut: () => {
      signedOut += 1;
    },
  };
  return { tab, told, states, signedOut: () => signedOut };
}

const EVENTS = '/events?team=t';
const LOGS = '/deployments/d/logs';
const snapshot = { type: 'snapshot', deployments: [aDeployment({ name: 'a' })], activity: [] };
const of = (topic: string, event: object, position?: string) => ({ type: 'topic', topic, event, position });
const line = (text: string) => ({ type: 'line', at: '2026-01-01T00:00:00Z', service: 'web', pod: 'p', text });
/** Lets timers of this length fire, and what they set off happen. */
const pass = async (milliseconds: number) => {
  await vi.advanceTimersByTimeAsync(milliseconds);
  await vi.advanceTimersByTimeAsync(0);
};

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the hub of topics', () => {
  it('holds one connection for all tabs, each topic once, and tells who joins late what the others know', async () => {
    const server = aServer();
    const hub = createTopicHub(server);
    const [first, second] = [aTab(), aTab()];
    const one = hub.join(first.tab, 'u');
    one.subscribe(1, EVENTS);
    one.subscribe(2, LOGS);
    await pass(50);
    expect(server.opened.map(({ topics }) => topics)).toEqual([[EVENTS, LOGS]]);
    server
      .last()
      .say(
        of(EVENTS, snapshot, '7'),
        of(LOGS, line('a'), 'x.1'),
        of(LOGS, { type: 'notice', service: 'db', message: 'm' }),
      );
    await pass(10);
    hub.join(second.tab, 'u').subscribe(1, EVENTS);
    await pass(100);
    expect(server.opened).toHaveLength(1);
    expect(second.told).toEqual([[1, 'snapshot']]);
    expect(first.told).toEqual([
      [1, 'snapshot'],
      [2, 'line'],
      [2, 'notice'],
    ]);
    expect(first.states).toEqual(['connecting', 'connected']);
  });

  it('opens anew with positions when the topics change, and only once for several changes', async () => {
    const server = aServer();
    const member = createTopicHub(server).join(aTab().tab, 'u');
    member.subscribe(1, EVENTS);
    await pass(50);
    server.last().say(of(EVENTS, snapshot, '7'));
    await pass(10);
    member.subscribe(2, LOGS);
    member.subscribe(3, `${LOGS}?service=db`);
    await pass(100);
    expect(server.open).toHaveLength(1);
    expect(server.opened.slice(1).map(({ topics }) => topics)).toEqual([[`${EVENTS}#7`, LOGS, `${LOGS}?service=db`]]);
  });

  it('keeps a topic for a while after nobody wants it, then lets it go', async () => {
    const server = aServer();
    const tab = aTab();
    const member = createTopicHub(server).join(tab.tab, 'u');
    member.subscribe(1, EVENTS);
    member.subscribe(2, LOGS);
    await pass(50);
    server.last().say(of(LOGS, line('a'), 'x.1'));
    await pass(10);
    member.unsubscribe(2);
    await pass(5_000);
    member.subscribe(3, LOGS);
    await pass(60_000);
    expect(tab.told).toEqual([
      [2, 'line'],
      [3, 'line'],
    ]);
    member.unsubscribe(3);
    await pass(25_000);
    expect(server.last().topics).toEqual([EVENTS]);
    member.leave();
    await pass(25_000);
    expect(server.open).toHaveLength(0);
  });

  it('comes back after a loss where it was, with pauses that grow, and says so', async () => {
    const server = aServer();
    const tab = aTab();
    const member = createTopicHub({ ...server, random: () => 1 }).join(tab.tab, 'u');
    member.subscribe(1, EVENTS);
    await pass(50);
    server.last().say(of(EVENTS, snapshot, '7'), of(EVENTS, { type: 'end', reason: 'shutting_down' }));
    server.last().hangUp();
    await pass(10);
    expect(tab.states.at(-1)).toBe('disconnected');
    server.answer(503);
    await pass(600);
    await pass(1_100);
    expect(server.opened).toHaveLength(3);
    server.answer(200);
    await pass(2_100);
    expect(server.last().topics).toEqual([`${EVENTS}#7`]);
    expect(tab.states.at(-1)).toBe('connected');
    expect(tab.told).toEqual([[1, 'snapshot']]);
    expect([0, 1, 2].map((attempt) => retryDelay(attempt, () => 0))).toEqual([250, 500, 1000]);
    expect(retryDelay(50, () => 1)).toBe(15_000);
  });

  it('goes to the next server when the one that stops says so, and waits as long as one that is not ready says', async () => {
    const server = aServer();
    const tab = aTab();
    createTopicHub({ ...server, random: () => 0 })
      .join(tab.tab, 'u')
      .subscribe(1, EVENTS);
    await pass(50);
    server.last().say(of(EVENTS, snapshot, '7'));
    server.last().sendAway(300);
    server.last().hangUp();
    await pass(250);
    expect(server.opened).toHaveLength(1);
    server.answer(503, { 'retry-after': '2' });
    await pass(100);
    expect(server.opened).toHaveLength(2);
    server.answer(200);
    await pass(1_900);
    expect(server.opened).toHaveLength(2);
    await pass(200);
    expect(server.last().topics).toEqual([`${EVENTS}#7`]);
    expect(tab.told).toEqual([[1, 'snapshot']]);
  });

  it('takes a connection that says nothing for dead', async () => {
    const server = aServer();
    createTopicHub(server).join(aTab().tab, 'u').subscribe(1, EVENTS);
    await pass(50);
    await pass(46_000);
    await pass(500);
    expect(server.opened).toHaveLength(2);
  });

  it('ends one topic and not the others; what may work later is asked for again', async () => {
    const server = aServer();
    const tab = aTab();
    const member = createTopicHub(server).join(tab.tab, 'u');
    member.subscribe(1, EVENTS);
    member.subscribe(2, LOGS);
    member.subscribe(3, '/deployments/gone/logs');
    member.subscribe(4, '/deployments/later/logs');
    await pass(50);
    server
      .last()
      .say(
        of(EVENTS, snapshot, '7'),
        of(LOGS, { type: 'end', reason: 'removed' }),
        { type: 'refused', topic: '/deployments/gone/logs', code: 'not_found', message: 'no' },
        { type: 'refused', topic: '/deployments/later/logs', code: 'unavailable', message: 'wait' },
      );
    await pass(10);
    expect(tab.told).toEqual([
      [3, 'refused'],
      [1, 'snapshot'],
      [2, 'end'],
    ]);
    await pass(4_000);
    expect(server.last().topics).toEqual([`${EVENTS}#7`, '/deployments/later/logs']);
  });

  it('ends for all when the login does, and when somebody else signs in', async () => {
    const server = aServer();
    const hub = createTopicHub(server);
    const [first, second, third] = [aTab(), aTab(), aTab()];
    hub.join(first.tab, 'u').subscribe(1, EVENTS);
    hub.join(second.tab, 'u').subscribe(1, LOGS);
    await pass(50);
    server.last().say({ type: 'end', reason: 'signed_out' });
    await pass(10);
    expect([first.signedOut(), second.signedOut()]).toEqual([1, 1]);
    expect(server.open).toHaveLength(0);
    hub.join(second.tab, 'u').subscribe(2, LOGS);
    await pass(50);
    server.last().say(of(LOGS, line('of u'), 'x.1'));
    await pass(10);
    hub.join(third.tab, 'other').subscribe(1, LOGS);
    await pass(50);
    expect(second.signedOut()).toBe(2);
    expect(third.told).toEqual([]);
    expect(server.last().topics).toEqual([LOGS]);
    server.answer(401);
    server.last().hangUp();
    await pass(2_000);
    expect(third.signedOut()).toBe(1);
  });

  it('opens another connection for more topics than one takes', async () => {
    const server = aServer();
    const member = createTopicHub(server).join(aTab().tab, 'u');
    for (let index = 0; index < 25; index++) member.subscribe(index, `/deployments/${index}/logs`);
    await pass(100);
    expect(server.open.map(({ topics }) => topics.length)).toEqual([20, 5]);
  });

  it('moves what makes an address too long to another connection', async () => {
    const server = aServer();
    const member = createTopicHub(server).join(aTab().tab, 'u');
    member.subscribe(1, EVENTS);
    member.subscribe(2, LOGS);
    member.subscribe(3, `${LOGS}?service=db`);
    await pass(50);
    const long = 'p'.repeat(3_600);
    server.last().say(of(LOGS, line('a'), long), of(`${LOGS}?service=db`, line('b'), long));
    await pass(10);
    member.subscribe(4, `${LOGS}?service=web`);
    await pass(200);
    expect(server.open.flatMap(({ topics }) => topics).sort()).toEqual(
      [EVENTS, `${LOGS}#${long}`, `${LOGS}?service=db#${long}`, `${LOGS}?service=web`].sort(),
    );
  });
});
