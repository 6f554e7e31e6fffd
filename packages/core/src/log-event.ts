import { z } from 'zod';
import { nameSchema } from './names.ts';

/**
 * The event stream of a deployment's logs, `GET /api/deployments/ID/logs`, as Server-Sent Events: the `event` is the type, the
 * `data` this record as JSON. First the last `tail` lines of every service asked for, oldest first, then what comes. The SSE id of a
 * line is the position of all that was sent: with it as `Last-Event-ID` a client that lost the stream gets what it missed and
 * nothing twice. `notice` says in words why nothing comes (no pod yet, pod replaced); `end` closes a stream that was asked not to
 * follow, or whose deployment is gone. Comment lines every 15 s.
 */
export type LogEvent =
  | { type: 'line'; at: string; service: string; pod: string; level?: LogLevel; text: string }
  | { type: 'notice'; service: string; message: string }
  | { type: 'resumed' }
  | { type: 'end'; reason: 'complete' | 'removed' | 'signed_out' | 'access_removed' | 'shutting_down' };

export const LOG_LEVELS = ['debug', 'info', 'warning', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export const MAX_TAIL = 5000;

/** What of the logs somebody wants to see; the same for stream and download. */
export const logQueryShape = {
  service: z
    .string()
    .max(1000)
    .regex(/^[a-z0-9-]+(,[a-z0-9-]+)*$/, { error: 'name services with commas between them: web,db' })
    .optional()
    .describe('One service or several with commas between them; all when absent.'),
  pod: nameSchema.max(253).optional(),
  tail: z.coerce.number().int().min(0).max(MAX_TAIL).optional().describe('Lines of each pod, at most.'),
  since: z
    .union([z.iso.datetime({ offset: true }), z.string().regex(/^\d{1,6}[smhd]$/)], {
      error: 'write how long ago (15m, 2h) or a time (2026-01-31T10:00:00Z)',
    })
    .optional(),
  previous: z.enum(['true', 'false']).optional().describe('Of the container that ran before the last restart.'),
  level: z.enum(LOG_LEVELS).optional().describe('This level and above; lines without one count as info.'),
  q: z.string().max(200).optional().describe('Only lines that contain this, in upper or lower case.'),
};
