import { createHash } from 'node:crypto';
import type { LogLine } from './log-line.ts';

/**
 * How far logs have been told. Of one pod: the time of its last line, and how many lines of that very time there have been from the
 * log's start, since many may share one. A log that is asked for again from that time begins with lines that are known: those are
 * counted off. Of several pods together: the SSE id of a line, short because it goes with every line:
 *
 *     k3x9q2.tb4qxc.8f2k1.1~p0d81m.tb4qxc.0.2        pod . seconds . nanoseconds . lines, each in base 36
 *
 * A pod is the hash of its name; two of one deployment with the same are less likely than a lost disk.
 */
export interface Mark {
  /** As `sortableTime` writes it. */
  time: string;
  lines: number;
}

export interface LogCursor {
  /** Where to ask from; nothing before the first line. */
  since(): string | undefined;
  mark(): Mark | undefined;
  /** Nothing before this time is wanted. */
  skipTo(time: string): void;
  /** Call before each new reading. */
  restart(): void;
  /** The position after this line, or nothing when it is known. */
  take(line: LogLine): Mark | undefined;
}

export function createLogCursor(from?: Mark): LogCursor {
  let last: Mark | undefined = from;
  let seenAtLast = 0;
  return {
    since: () => last?.time,
    mark: () => last,
    skipTo(time) {
      last = { time, lines: 0 };
      seenAtLast = 0;
    },
    restart() {
      seenAtLast = 0;
    },
    take({ at }) {
      const time = sortableTime(at);
      // What has no time is the rest of a line that was too long.
      if (time === undefined || (last && time < last.time)) return undefined;
      if (last && time === last.time) {
        seenAtLast += 1;
        if (seenAtLast <= last.lines) return undefined;
        last = { time, lines: seenAtLast };
      } else {
        seenAtLast = 1;
        last = { time, lines: 1 };
      }
      return last;
    },
  };
}

/** In UTC with nine digits of fraction, so that text order is time order: a kubelet may leave zeros out. Nothing for what is no time. */
export function sortableTime(at: string): string | undefined {
  const [, seconds, fraction = '', zone] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/.exec(at) ?? [];
  if (seconds === undefined) return undefined;
  const whole = zone === 'Z' ? seconds : new Date(`${seconds}${zone}`).toISOString().slice(0, 19);
  return `${whole}.${fraction.padEnd(9, '0')}Z`;
}

/** What of several pods has been told. */
export interface ToldPositions {
  set(pod: string, mark: Mark): void;
  forget(pod: string): void;
  /** Of all of them, as the SSE id. */
  id(): string;
}

export function createToldPositions(): ToldPositions {
  const keys = new Map<string, string>();
  const encoded = new Map<string, string>();
  return {
    set(pod, mark) {
      const key = keys.get(pod) ?? podKey(pod);
      keys.set(pod, key);
      encoded.set(pod, encodeMark(key, mark));
    },
    forget(pod) {
      keys.delete(pod);
      encoded.delete(pod);
    },
    id: () => [...encoded.values()].join('~'),
  };
}

/** By the keys of pods. Nothing for what no server of ours wrote. */
export function decodePositions(text: string): ReadonlyMap<string, Mark> | undefined {
  const positions = new Map<string, Mark>();
  for (const part of text.split('~')) {
    const [, key, seconds, nanos, lines] =
      /^([a-z0-9]{7})\.([a-z0-9]{1,7})\.([a-z0-9]{1,6})\.([a-z0-9]{1,8})$/.exec(part) ?? [];
    if (key === undefined || seconds === undefined || nanos === undefined || lines === undefined) return undefined;
    const at = new Date(Number.parseInt(seconds, 36) * 1000);
    const fraction = String(Number.parseInt(nanos, 36)).padStart(9, '0');
    if (fraction.length > 9) return undefined;
    positions.set(key, {
      time: `${at.toISOString().slice(0, 19)}.${fraction}Z`,
      lines: Number.parseInt(lines, 36),
    });
  }
  return positions;
}

export function podKey(pod: string): string {
  return createHash('sha256').update(pod).digest().readUIntBE(0, 6).toString(36).slice(-7).padStart(7, '0');
}

function encodeMark(key: string, { time, lines }: Mark): string {
  const seconds = Date.parse(`${time.slice(0, 19)}Z`) / 1000;
  return [key, seconds.toString(36), Number(time.slice(20, 29)).toString(36), lines.toString(36)].join('.');
}
