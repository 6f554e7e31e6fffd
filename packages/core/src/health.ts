import { z } from 'zod';

/** One thing that must be so for Berth to work. `fix` says what to do when it is not. */
export const healthCheckSchema = z.strictObject({
  name: z.string().describe('Such as "database" or "operator".'),
  state: z.enum(['ok', 'warning', 'failure']),
  message: z.string(),
  fix: z.string().optional(),
});
export type HealthCheck = z.infer<typeof healthCheckSchema>;
export const healthSchema = z.strictObject({ checks: z.array(healthCheckSchema) }).meta({ id: 'Health' });
export type Health = z.infer<typeof healthSchema>;
