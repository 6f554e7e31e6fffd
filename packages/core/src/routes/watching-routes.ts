import { z } from 'zod';
import { auditRecordSchema } from '../audit.ts';
import { activitySchema } from '../deployment.ts';
import { healthSchema } from '../health.ts';
import { logQueryShape } from '../log-event.ts';
import { currentUseSchema, metricRangeSchema, metricsSchema } from '../metrics.ts';
import { byId, inTeam, list, page, type Route } from '../route.ts';
import { MAX_TOPICS } from '../stream-topic.ts';

const topicSchema = z.string().max(4000).startsWith('/');

export const WATCHING_ROUTES = {
  listDeploymentActivity: {
    method: 'GET',
    path: '/api/deployments/:id/activity',
    summary: 'What happened to it, newest first',
    permission: 'deployment:read',
    scope: 'deployment',
    params: byId,
    query: z.strictObject(page),
    output: list(activitySchema),
  },
  streamLogs: {
    method: 'GET',
    path: '/api/deployments/:id/logs',
    summary: 'Log lines of services, followed',
    audit: 'always',
    permission: 'deployment:logs',
    scope: 'deployment',
    params: byId,
    query: z.strictObject({ ...logQueryShape, follow: z.enum(['true', 'false']).optional() }),
    output: 'stream',
  },
  downloadLogs: {
    method: 'GET',
    path: '/api/deployments/:id/logs/download',
    summary: 'Log lines as a text file',
    audit: 'always',
    permission: 'deployment:logs',
    scope: 'deployment',
    params: byId,
    query: z.strictObject(logQueryShape),
    output: 'stream',
  },
  getMetrics: {
    method: 'GET',
    path: '/api/deployments/:id/metrics',
    summary: 'CPU, memory and requests over time',
    permission: 'deployment:read',
    scope: 'deployment',
    params: byId,
    query: z.strictObject({ range: metricRangeSchema.optional().describe('1h when absent.') }),
    output: metricsSchema,
  },
  streamMetrics: {
    method: 'GET',
    path: '/api/deployments/:id/metrics/stream',
    summary: 'CPU, memory and requests as they are measured',
    permission: 'deployment:read',
    scope: 'deployment',
    params: byId,
    output: 'stream',
  },
  listCurrentUse: {
    method: 'GET',
    path: '/api/metrics',
    summary: 'What each service of a team uses now',
    permission: 'deployment:read',
    scope: 'team',
    query: z.strictObject(inTeam),
    output: list(currentUseSchema),
  },
  streamLive: {
    method: 'GET',
    path: '/api/live',
    summary: 'Several event streams over one connection',
    permission: 'self:read',
    scope: 'self',
    query: z.strictObject({
      topic: z
        .union([topicSchema, z.array(topicSchema).max(MAX_TOPICS)])
        .describe(
          'The address of a single stream without /api; repeat it. `#POSITION` at its end says where to go on.',
        ),
    }),
    output: 'stream',
  },
  getHealth: {
    method: 'GET',
    path: '/api/health',
    summary: 'What of the installation works and what does not, and how to mend it',
    permission: 'platform:admin',
    scope: 'self',
    output: healthSchema,
  },
  listActivity: {
    method: 'GET',
    path: '/api/activity',
    summary: 'What happened in a team, newest first',
    permission: 'deployment:read',
    scope: 'team',
    query: z.strictObject({ ...inTeam, ...page }),
    output: list(activitySchema),
  },
  streamEvents: {
    method: 'GET',
    path: '/api/events',
    summary: 'Everything live in a team',
    permission: 'deployment:read',
    scope: 'team',
    query: z.strictObject(inTeam),
    output: 'stream',
  },
  listAudit: {
    method: 'GET',
    path: '/api/audit',
    summary: 'The audit log of a team, newest first',
    audit: 'always',
    permission: 'audit:read',
    scope: 'team',
    query: z.strictObject({ ...inTeam, ...page }),
    output: list(auditRecordSchema),
  },
} as const satisfies Record<string, Route>;
