import type { MetricEvent, MetricPoint, MetricRange, Metrics } from '@berth/core/metrics';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { metricsQuery } from '../api/queries/metrics.ts';
import { topicOf } from '../api/topic-of.ts';
import { useLiveLink } from './live-provider.tsx';
import { withPoints } from './metrics-data.ts';

const POINTS_KEPT = 360;

export interface MeasuredRange {
  metrics: Metrics | undefined;
  error: Error | undefined;
  retry: () => void;
  /** Of another range than asked for, while that one comes. */
  stale: boolean;
}

/** A range of measurements; the shortest grows as they are made. */
export function useMetrics(id: string, range: MetricRange): MeasuredRange {
  const query = useQuery({ ...metricsQuery(id, range), placeholderData: keepPreviousData });
  const points = usePoints(id);
  const { data } = query;
  const live = data?.range === '1h';
  const metrics = useMemo(() => (data && live ? withPoints(data, points) : data), [data, live, points]);
  return {
    metrics,
    error: data === undefined ? (query.error ?? undefined) : undefined,
    retry: () => void query.refetch(),
    stale: query.isPlaceholderData,
  };
}

function usePoints(id: string): readonly MetricPoint[] {
  const link = useLiveLink();
  const [points, setPoints] = useState<readonly MetricPoint[]>([]);
  useEffect(() => {
    setPoints([]);
    return link?.follow(topicOf('streamMetrics', { params: { id } }), {
      onEvents: (events) => {
        const fresh = (events as MetricEvent[]).flatMap((event) => (event.type === 'point' ? [event.point] : []));
        if (fresh.length > 0) setPoints((before) => [...before, ...fresh].slice(-POINTS_KEPT));
      },
      // The charts stay as they are; why nothing comes is said elsewhere.
      onRefused: () => undefined,
      onRestart: () => setPoints([]),
    });
  }, [link, id]);
  return points;
}
