import type { RouteInput } from '@berth/core/api';
import type { LogEvent } from '@berth/core/log-event';
import { useEffect, useMemo, useState } from 'react';
import { topicOf } from '../api/topic-of.ts';
import { useLiveLink, useLiveStatus } from './live-provider.tsx';
import { appendLines, EMPTY_BUFFER, type LogBuffer } from './log-line.ts';

const FLUSH_MILLISECONDS = 80;

export interface LogStream extends LogBuffer {
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

interface Heard extends LogBuffer {
  note: string | undefined;
  /** Anything was said, if only that there is nothing. */
  heard: boolean;
  ended: boolean;
}
const NOTHING: Heard = { ...EMPTY_BUFFER, note: undefined, heard: false, ended: false };

/** Follows logs over the connection that all tabs share. Drawn in bursts, so that a chatty service does not draw line by line. */
export function useLogLines(id: string, query: RouteInput<'streamLogs'>['query']): LogStream {
  const link = useLiveLink();
  const { state } = useLiveStatus();
  const [heard, setHeard] = useState<Heard>(NOTHING);
  const topic = topicOf('streamLogs', { params: { id }, query });
  useEffect(() => {
    setHeard(NOTHING);
    let waiting: Extract<LogEvent, { type: 'line' }>[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const flush = () => {
      clearTimeout(timer);
      timer = undefined;
      const lines = waiting;
      waiting = [];
      if (lines.length > 0)
        setHeard((before) => ({ ...before, ...appendLines(before, lines), heard: true, note: undefined }));
    };
    const take = (event: LogEvent) => {
      if (event.type === 'line') {
        waiting.push(event);
        timer ??= setTimeout(flush, FLUSH_MILLISECONDS);
      } else if (event.type !== 'resumed') {
        flush();
        const note = event.type === 'notice' ? event.message : END_WORDS[event.reason];
        setHeard((before) => ({ ...before, note, heard: true, ended: event.type === 'end' }));
      }
    };
    const stop = link?.follow(topic, {
      onEvents: (events) => {
        for (const event of events) take(event as LogEvent);
      },
      onRefused: ({ message }) => setHeard((before) => ({ ...before, note: message, ended: true })),
      onRestart: () => {
        waiting = [];
        setHeard(NOTHING);
      },
    });
    return () => {
      clearTimeout(timer);
      stop?.();
    };
  }, [link, topic]);
  return useMemo(() => {
    const { ended, heard: any, ...buffer } = heard;
    const following = state === 'connected' ? 'following' : any ? 'reconnecting' : 'connecting';
    return { ...buffer, state: ended ? 'ended' : following };
  }, [heard, state]);
}
