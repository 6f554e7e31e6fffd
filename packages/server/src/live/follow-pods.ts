import type { LogEvent } from '@berth/core/log-event';
import { type Clock, delay } from '@berth/kube/client/clock';
import type { LogChoice } from './log-choice.ts';
import {
  createLogCursor,
  createToldPositions,
  type LogCursor,
  type Mark,
  podKey,
  sortableTime,
} from './log-position.ts';
import { mergeBy } from './merge-by-time.ts';
import type { LogClient, LoggingPod } from './pod-logs.ts';
import { type PodLine, type PodReader, readFollowing, readWritten } from './read-pod-log.ts';

/** The readers of one log stream: one a pod, and how far each has been told. */
export interface PodFollowers {
  /** What the pods have written, merged by time; false when `may` forbade to go on. */
  tellWritten(pods: readonly LoggingPod[], tail: number, may: () => Promise<boolean>): Promise<boolean>;
  follow(pod: LoggingPod): void;
  forgetExcept(pods: readonly LoggingPod[]): Promise<void>;
  stopped(): Promise<void>;
}

export interface PodFollowersDeps {
  client: LogClient;
  timer: Clock;
  choice: LogChoice;
  /** Of a stream that was lost, by the pods' keys. */
  positions: ReadonlyMap<string, Mark> | undefined;
  signal: AbortSignal;
  send(event: LogEvent, position?: string): Promise<void>;
}

const LOOK_AGAIN_MS = 1_000;
/** The log of a container that has ended is asked for again ever more seldom. */
const LONGEST_LOOK_MS = 8_000;
const LINES_BETWEEN_CHECKS = 500;

export function createPodFollowers(deps: PodFollowersDeps): PodFollowers {
  const { client, timer, choice, positions, signal, send } = deps;
  const told = createToldPositions();
  const readers = new Map<string, PodReader>();
  const running = new Map<string, { stop: AbortController; done: Promise<void> }>();

  function readerOf(pod: LoggingPod, cursor: LogCursor): PodReader {
    let noticed: string | undefined;
    const reader: PodReader = {
      client,
      pod,
      choice,
      cursor,
      signal,
      onNotice(message) {
        // Back-pressure matters for lines; a notice comes once.
        if (message !== noticed)
          void send({ type: 'notice', service: pod.service, message: `${pod.name}: ${message}` });
        noticed = message;
      },
    };
    readers.set(pod.name, reader);
    return reader;
  }

  /** Where to begin with a pod that was there when the stream was opened. */
  function firstReaderOf(pod: LoggingPod): { reader: PodReader; resumed: boolean } {
    const known = positions?.get(podKey(pod.name));
    const since = choice.since === undefined ? undefined : sortableTime(choice.since);
    const from = known ?? (positions || since === undefined ? undefined : { time: since, lines: 0 });
    // A pod that has said nothing since then must not be told from its beginning when the stream is resumed.
    if (from) told.set(pod.name, from);
    return { reader: readerOf(pod, createLogCursor(from)), resumed: positions !== undefined };
  }

  /** Told so far is all before its first line: noted before a line of any pod is sent, since merging begins with the first of each. */
  async function* noteStart(lines: AsyncIterable<PodLine>): AsyncGenerator<PodLine> {
    let begun = positions !== undefined;
    for await (const line of lines) {
      if (!begun) told.set(line.pod.name, { time: line.mark.time, lines: line.mark.lines - 1 });
      begun = true;
      yield line;
    }
  }

  /** Nothing is between the note and the writing, so the id is true. */
  function tell({ pod, line, level, mark }: PodLine): Promise<void> {
    told.set(pod.name, mark);
    const event: LogEvent = {
      type: 'line',
      at: line.at,
      service: pod.service,
      pod: pod.name,
      ...(level && { level }),
      text: line.text,
    };
    return send(event, told.id());
  }

  async function follow(pod: LoggingPod, stop: AbortSignal): Promise<void> {
    const known = readers.get(pod.name) ?? readerOf(pod, createLogCursor());
    let wait = LOOK_AGAIN_MS;
    const onNotice = (message: string) => {
      // One that is about to start is worth a look every second.
      wait = LOOK_AGAIN_MS / 2;
      known.onNotice(message);
    };
    const reader = { ...known, signal: stop, onNotice };
    while (!stop.aborted) {
      for await (const line of readFollowing(reader)) {
        wait = LOOK_AGAIN_MS;
        await tell(line);
      }
      await delay(timer, wait, stop);
      wait = Math.min(wait * 2, LONGEST_LOOK_MS);
    }
  }

  return {
    async tellWritten(pods, tail, may) {
      const sources = pods.map((pod) => {
        const { reader, resumed } = firstReaderOf(pod);
        return noteStart(readWritten(reader, resumed ? undefined : tail));
      });
      let count = 0;
      for await (const line of mergeBy(sources, ({ mark }) => mark.time)) {
        if (++count % LINES_BETWEEN_CHECKS === 0 && !(await may())) return false;
        if (signal.aborted) return false;
        await tell(line);
      }
      for (const { pod, cursor } of readers.values()) {
        const mark = cursor.mark();
        if (mark) told.set(pod.name, mark);
      }
      return true;
    },
    follow(pod) {
      if (running.has(pod.name) || signal.aborted) return;
      const stop = new AbortController();
      signal.addEventListener('abort', () => stop.abort(), { once: true });
      // A reader that breaks is started again at the next look.
      const done = follow(pod, stop.signal)
        .catch(() => undefined)
        .finally(() => running.delete(pod.name));
      running.set(pod.name, { stop, done });
    },
    async forgetExcept(pods) {
      for (const [name, { pod }] of [...readers]) {
        if (pods.some((each) => each.name === name)) continue;
        readers.delete(name);
        told.forget(name);
        running.get(name)?.stop.abort();
        await send({ type: 'notice', service: pod.service, message: `${name} is gone.` });
      }
    },
    async stopped() {
      await Promise.all([...running.values()].map(({ done }) => done));
    },
  };
}
