import type { HealthCheck } from '@berth/core/health';

export const ok = (name: string, message: string): HealthCheck => ({ name, state: 'ok', message });
export const warning = (name: string, message: string, fix?: string): HealthCheck => ({
  name,
  state: 'warning',
  message,
  ...(fix !== undefined && { fix }),
});
export const failure = (name: string, message: string, fix?: string): HealthCheck => ({
  name,
  state: 'failure',
  message,
  ...(fix !== undefined && { fix }),
});
