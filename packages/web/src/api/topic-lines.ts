import type { ErrorCode } from '@berth/core/errors';
import { MAX_TOPICS, type MultiplexEvent, type TopicEvent } from '@berth/core/stream-topic';
import {
  type ConnectionState,
  connectTopics,
  type TopicConnection,
  type TopicConnectionOptions,
} from './topic-connection.ts';

/**
 * The connections that topics go over: one, until there are more topics than one takes. When its topics change, a connection is opened
 * anew a moment later with the position of each, so nothing is missed or told twice.
 */
export interface TopicLines {
  add(topic: string): void;
  remove(topic: string): void;
  /** Somebody looks: worth a try now, should a connection be waiting for the next one. */
  wake(): void;
}

export interface TopicLinesOptions extends Pick<TopicConnectionOptions, 'fetch' | 'random' | 'wait'> {
  now?: () => number;
  /** Of one topic, in order; with an `end` among them it is over. */
  onEvents(topic: string, events: TopicEvent[]): void;
  /** This topic cannot be had: it is over. */
  onRefused(topic: string, problem: TopicProblem): void;
  onStatus(status: LiveStatus): void;
  /** Nobody is signed in: everything is over. */
  onSignedOut(): void;
}

export interface TopicProblem {
  code: string;
  message: string;
}

export interface LiveStatus {
  state: ConnectionState;
  /** When this state began. */
  since: number;
  /** When anything was last heard from the server. */
  lastDataAt: number | undefined;
}

interface Line {
  /** Each with where it goes on. */
  topics: Map<string, string | undefined>;
  connection: TopicConnection | undefined;
  state: ConnectionState;
  reopening: ReturnType<typeof setTimeout> | undefined;
  /** Topics that may work later. */
  refused: Set<string>;
  retries: number;
}

const DEBOUNCE_MILLISECONDS = 40;
const TELL_STATUS_EVERY_MILLISECONDS = 5_000;
const RETRY_REFUSED_MILLISECONDS = 3_000;
const LONGEST_RETRY_MILLISECONDS = 30_000;
/** Servers take 16 KB of request line and headers. */
const LONGEST_URL = 7_000;
const UNAUTHENTICATED = 401;
/** Refusals that may be over later. */
const MAY_PASS: ReadonlySet<string> = new Set<ErrorCode>(['unavailable', 'internal', 'rate_limited']);
const STATES_WORST_FIRST = ['disconnected', 'connecting', 'connected'] as const;

export function createTopicLines(options: TopicLinesOptions): TopicLines {
  const { now = Date.now } = options;
  const lines = new Set<Line>();
  let status: LiveStatus = { state: 'connecting', since: now(), lastDataAt: undefined };
  let toldAt = 0;

  function tell(next: LiveStatus): void {
    status = next;
    toldAt = now();
    options.onStatus(status);
  }

  function heard(): void {
    status = { ...status, lastDataAt: now() };
    if (now() - toldAt > TELL_STATUS_EVERY_MILLISECONDS) tell(status);
  }

  /** Of all lines the worst. */
  function stateChanged(line: Line, state: ConnectionState): void {
    line.state = state;
    const states = new Set([...lines].map((each) => each.state));
    const worst = STATES_WORST_FIRST.find((each) => states.has(each));
    if (worst !== undefined && worst !== status.state) tell({ ...status, state: worst, since: now() });
  }

  function newLine(topics: Iterable<[string, string | undefined]> = []): Line {
    const line: Line = {
      topics: new Map(topics),
      connection: undefined,
      state: 'connecting',
      reopening: undefined,
      refused: new Set(),
      retries: 0,
    };
    lines.add(line);
    return line;
  }

  function lineOf(topic: string): Line | undefined {
    return [...lines].find((line) => line.topics.has(topic));
  }

  function urlOf(line: Line): string {
    const parts: string[] = [];
    let length = 0;
    for (const [topic, position] of [...line.topics]) {
      const part = `topic=${encodeURIComponent(position === undefined ? topic : `${topic}#${position}`)}`;
      length += part.length + 1;
      if (length <= LONGEST_URL || parts.length === 0) {
        parts.push(part);
      } else {
        // Its long position has room on a line of its own.
        line.topics.delete(topic);
        reopenSoon(newLine([[topic, position]]));
      }
    }
    return `/api/live?${parts.join('&')}`;
  }

  function reopenSoon(line: Line, after = DEBOUNCE_MILLISECONDS): void {
    if (line.reopening !== undefined && after > DEBOUNCE_MILLISECONDS) return;
    clearTimeout(line.reopening);
    line.reopening = setTimeout(() => {
      line.reopening = undefined;
      if (line.connection) line.connection.reopen();
      else line.connection = connect(line);
    }, after);
  }

  function connect(line: Line): TopicConnection {
    return connectTopics({
      ...options,
      url: () => urlOf(line),
      onEvents: (events) => take(line, events),
      onState: (state) => stateChanged(line, state),
      onData: heard,
      onRefused: ({ status: answered, code, message }) => {
        if (answered === UNAUTHENTICATED) signOut();
        for (const topic of [...line.topics.keys()]) refuse(line, topic, { code, message });
      },
    });
  }

  function drop(line: Line, topic: string): void {
    line.topics.delete(topic);
    line.refused.delete(topic);
    if (line.topics.size > 0) return;
    clearTimeout(line.reopening);
    line.connection?.close();
    lines.delete(line);
  }

  function refuse(line: Line, topic: string, problem: TopicProblem): void {
    drop(line, topic);
    options.onRefused(topic, problem);
  }

  function signOut(): void {
    for (const line of [...lines]) for (const topic of [...line.topics.keys()]) drop(line, topic);
    options.onSignedOut();
  }

  /** Together by topic, however many events a piece held. */
  function take(line: Line, events: MultiplexEvent[]): void {
    const fresh = new Map<string, TopicEvent[]>();
    for (const event of events) {
      if (event.type === 'topic') takeEvent(line, event, fresh);
      else if (event.type === 'refused') takeRefusal(line, event);
      // Shutting down ends the connection, and the next one goes on.
      else if (event.reason === 'signed_out') signOut();
    }
    for (const [topic, told] of fresh) {
      options.onEvents(topic, told);
      if (told.at(-1)?.type === 'end') drop(line, topic);
    }
  }

  function takeEvent(
    line: Line,
    { topic, position, event }: Extract<MultiplexEvent, { type: 'topic' }>,
    fresh: Map<string, TopicEvent[]>,
  ): void {
    if (!line.topics.has(topic)) return;
    if (position !== undefined) line.topics.set(topic, position);
    if (line.refused.delete(topic) && line.refused.size === 0) line.retries = 0;
    if (event.type === 'resumed' || isPassing(event)) return;
    const told = fresh.get(topic);
    if (told) told.push(event);
    else fresh.set(topic, [event]);
  }

  /** What may work later is asked for again, ever more seldom. */
  function takeRefusal(line: Line, refused: Extract<MultiplexEvent, { type: 'refused' }>): void {
    const { topic, code, message } = refused;
    if (!line.topics.has(topic)) return;
    if (MAY_PASS.has(code)) {
      line.refused.add(topic);
      reopenSoon(line, Math.min(RETRY_REFUSED_MILLISECONDS * 2 ** line.retries++, LONGEST_RETRY_MILLISECONDS));
    } else {
      refuse(line, topic, { code, message });
    }
  }

  return {
    add(topic) {
      const line = [...lines].find((each) => each.topics.size < MAX_TOPICS) ?? newLine();
      line.topics.set(topic, undefined);
      reopenSoon(line);
    },
    remove(topic) {
      const line = lineOf(topic);
      if (!line) return;
      drop(line, topic);
      if (lines.has(line)) reopenSoon(line);
    },
    wake() {
      for (const line of lines) line.connection?.wake();
    },
  };
}

/** The stream ends, the topic does not: it goes on where it was once the server is back. */
function isPassing(event: TopicEvent): boolean {
  return event.type === 'end' && (event.reason === 'shutting_down' || event.reason === 'signed_out');
}
