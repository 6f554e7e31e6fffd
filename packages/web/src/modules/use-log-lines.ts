import type { LogEvent } from '@berth/core/log-event';
import { useEffect, useState } from 'react';
import { urlOf } from '../api/client.ts';
import { followEvents } from '../api/event-stream.ts';
import { messageOf } from '../api/problem.ts';
import { appendLines, type LogLine, toLogLine, withoutRepeats } from './log-line.ts';

const TAIL = 1_000;
const FLUSH_MILLISECONDS = 80;

export interface LogStream {
  lines: readonly LogLine[];
  state: 'connecting' | 'following' | 'reconnecting' | 'ended';
  /** In words: why nothing comes, or why it ended. */
  note: string | undefined;
}

const END_WORDS: Record<Extract<LogEvent, { type: 'end' }>['reason'], string> = {
  complete: 'The log ends here.',
  removed: 'The deployment is gone.',
  signed_out: 'You are signed out.',
  access_removed: 'You may no longer read this log.',
  shutting_down: 'Berth is restarting.',
};

/** Follows the log of one service. Drawn in bursts, so that a chatty service does not draw line by line. */
export function useLogLines(id: string, service: string): LogStream {
  const [stream, setStream] = useState<LogStream>({ lines: [], state: 'connecting', note: undefined });
  useEffect(() => {
    setStream({ lines: [], state: 'connecting', note: undefined });
    let waiting: LogLine[] = [];
    let all: LogLine[] = [];
    let isNew: ReturnType<typeof withoutRepeats> | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const flush = () => {
      timer = undefined;
      all = appendLines(all, waiting);
      waiting = [];
      setStream((before) => ({ ...before, lines: all, note: undefined }));
    };
    const take = (event: LogEvent) => {
      if (event.type === 'line') {
        const line = toLogLine(event);
        if (isNew && !isNew(line)) return;
        waiting.push(line);
        timer ??= setTimeout(flush, FLUSH_MILLISECONDS);
        return;
      }
      if (event.type === 'resumed') return;
      const note = event.type === 'notice' ? event.message : END_WORDS[event.reason];
      setStream((before) => ({ ...before, note }));
      if (event.type === 'end' && event.reason !== 'shutting_down') {
        stop();
        setStream((before) => ({ ...before, state: 'ended' }));
      }
    };
    const stop = followEvents({
      url: urlOf('streamLogs', { params: { id }, query: { service, tail: TAIL, follow: 'true' } }),
      onMessage: (message) => take({ type: message.event, ...(JSON.parse(message.data) as object) } as LogEvent),
      onStatus: (status) => {
        if (status === 'connected') isNew = all.length > 0 ? withoutRepeats([...all, ...waiting]) : undefined;
        setStream((before) => ({
          ...before,
          state: status === 'connected' ? 'following' : before.lines.length > 0 ? 'reconnecting' : 'connecting',
        }));
      },
      onRefused: (error) => setStream((before) => ({ ...before, state: 'ended', note: messageOf(error) })),
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [id, service]);
  return stream;
}
