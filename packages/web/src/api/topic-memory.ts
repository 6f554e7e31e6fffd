import { applyLiveEvent, type LiveState } from '@berth/core/live';
import type { LogEvent } from '@berth/core/log-event';
import type { MetricPoint } from '@berth/core/metrics';
import type { TopicEvent } from '@berth/core/stream-topic';

/** What a tab that joins a topic late is told, so that it knows what the others know. Bounded, whatever comes. */
export interface TopicMemory {
  take(event: TopicEvent): void;
  replay(): TopicEvent[];
}

export const LINES_REMEMBERED = 10_000;
const POINTS_REMEMBERED = 360;

export function memoryOf(topic: string): TopicMemory {
  const [path = ''] = topic.split('?');
  if (path === '/events') return liveMemory();
  return path.endsWith('/metrics/stream') ? metricMemory() : logMemory();
}

function liveMemory(): TopicMemory {
  let state: LiveState | undefined;
  return {
    take(event) {
      if (event.type === 'snapshot') state = applyLiveEvent({ deployments: [], activity: [] }, event);
      else if (state && (event.type === 'deployment' || event.type === 'removed' || event.type === 'activity'))
        state = applyLiveEvent(state, event);
    },
    replay: () => (state ? [{ type: 'snapshot', ...state }] : []),
  };
}

function metricMemory(): TopicMemory {
  let points: MetricPoint[] = [];
  return {
    take(event) {
      if (event.type === 'point') points = [...points, event.point].slice(-POINTS_REMEMBERED);
    },
    replay: () => points.map((point) => ({ type: 'point', point })),
  };
}

function logMemory(): TopicMemory {
  const lines: LogEvent[] = [];
  let notice: LogEvent | undefined;
  return {
    take(event) {
      if (event.type === 'notice') notice = event;
      if (event.type !== 'line') return;
      notice = undefined;
      lines.push(event);
      // Now and then, and not for each line: to shorten a list costs as much as it is long.
      if (lines.length > 2 * LINES_REMEMBERED) lines.splice(0, lines.length - LINES_REMEMBERED);
    },
    replay: () => [...lines.slice(-LINES_REMEMBERED), ...(notice ? [notice] : [])],
  };
}
