import { METRIC_RANGES, type MetricRange } from '@berth/core/metrics';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../client.ts';

const MEASURED_EVERY_MS = 10_000;
/** The live range is followed by itself; this only finds what was missed. */
const LIVE_REFETCH_MS = 5 * 60_000;

export const metricsQuery = (id: string, range: MetricRange) =>
  queryOptions({
    queryKey: ['metrics', id, range],
    queryFn: ({ signal }) => call('getMetrics', { params: { id }, query: { range }, signal }),
    staleTime: range === '1h' ? 0 : (METRIC_RANGES[range].stepSeconds * 1000) / 2,
    refetchInterval: range === '1h' ? LIVE_REFETCH_MS : METRIC_RANGES[range].stepSeconds * 1000,
  });

/** What each service of a team uses now. Asked for only while a page is looked at. */
export const currentUseQuery = (teamId: string) =>
  queryOptions({
    queryKey: ['use', teamId],
    queryFn: async ({ signal }) => (await call('listCurrentUse', { query: { team: teamId }, signal })).items,
    refetchInterval: MEASURED_EVERY_MS + 2_000,
    staleTime: MEASURED_EVERY_MS,
  });
