import type { RouteInput } from '@berth/core/api';
import { urlOf } from './client.ts';

type StreamName = 'streamEvents' | 'streamLogs' | 'streamMetrics';

/** The address of a single stream as a topic of the connection for many. */
export function topicOf<N extends StreamName>(name: N, input: RouteInput<N>): string {
  return urlOf(name, input).slice('/api'.length);
}
