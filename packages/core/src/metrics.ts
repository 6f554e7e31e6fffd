import { z } from 'zod';
import { idSchema } from './ids.ts';

/**
 * What services use and what their public addresses are asked for. Columns beside each other, so that charts take them as they are: the
 * n-th number of each list belongs to the n-th time. `null` is a gap: nothing was measured then.
 */
export const METRIC_RANGES = {
  '1h': { seconds: 3600, stepSeconds: 10 },
  '6h': { seconds: 6 * 3600, stepSeconds: 60 },
  '24h': { seconds: 24 * 3600, stepSeconds: 300 },
  '7d': { seconds: 7 * 24 * 3600, stepSeconds: 1800 },
} as const;
export type MetricRange = keyof typeof METRIC_RANGES;
export const metricRangeSchema = z.enum(Object.keys(METRIC_RANGES) as [MetricRange, ...MetricRange[]]);

const columnSchema = z.array(z.number().nullable());

export const metricsSchema = z
  .strictObject({
    range: metricRangeSchema,
    stepSeconds: z.int(),
    /** Seconds since 1970, ascending, one a step. */
    at: z.array(z.int()),
    services: z.array(
      z.strictObject({
        name: z.string(),
        cpu: columnSchema.describe('Cores of all pods together.'),
        memory: columnSchema.describe('Bytes of all pods together.'),
        cpuLimit: z.number().optional().describe('Of all pods together, now.'),
        memoryLimit: z.number().optional(),
      }),
    ),
    requests: columnSchema.describe('Answers a second, over all public addresses.'),
    errors: columnSchema.describe('Of those, with a status of 500 or above.'),
    notice: z.string().optional().describe('In words, when something is not measured here.'),
  })
  .meta({ id: 'Metrics' });
export type Metrics = z.infer<typeof metricsSchema>;

/** One step, as the live stream `GET /api/deployments/ID/metrics/stream` sends it. Its SSE id is `at`. */
export const metricPointSchema = z.strictObject({
  at: z.int(),
  services: z.record(z.string(), z.strictObject({ cpu: z.number().nullable(), memory: z.number().nullable() })),
  requests: z.number().nullable(),
  errors: z.number().nullable(),
});
export type MetricPoint = z.infer<typeof metricPointSchema>;
export type MetricEvent =
  | { type: 'point'; point: MetricPoint }
  | { type: 'resumed' }
  | { type: 'end'; reason: 'removed' | 'signed_out' | 'access_removed' | 'shutting_down' };

/** What each service of a team uses now: `berth top`. */
export const currentUseSchema = z
  .strictObject({
    deployment: idSchema,
    name: z.string(),
    service: z.string(),
    pods: z.int(),
    cpu: z.number().optional(),
    memory: z.number().optional(),
    cpuLimit: z.number().optional(),
    memoryLimit: z.number().optional(),
    requests: z.number().optional().describe('A second; on the service that its public address reaches.'),
    errors: z.number().optional(),
    at: z.iso.datetime().optional().describe('When it was measured.'),
  })
  .meta({ id: 'CurrentUse' });
export type CurrentUse = z.infer<typeof currentUseSchema>;
