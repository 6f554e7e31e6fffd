import type { ExternalSecret, ExternalSecretStatus } from '../../kubernetes/external-secret.ts';
import { sha256 } from '../sha256.ts';
import { parseDuration } from './go-duration.ts';

const DEFAULT_INTERVAL_MS = 3_600_000;

/** What was synced last: generation and marks, as a status can keep it. */
export function syncedVersionOf({ metadata }: ExternalSecret): string {
  const marks = JSON.stringify([sorted(metadata.annotations), sorted(metadata.labels)]);
  return `${metadata.generation ?? 0}-${sha256(marks).slice(0, 16)}`;
}

/** Milliseconds until the store is to be read again; 0 for now, undefined for not by the clock. */
export function refreshIn({ spec, status }: ExternalSecret, now: number): number | undefined {
  const interval = parseDuration(spec.refreshInterval ?? '') ?? DEFAULT_INTERVAL_MS;
  if (interval === 0 || spec.refreshPolicy === 'OnChange' || spec.refreshPolicy === 'CreatedOnce') return undefined;
  const last = Date.parse(status?.refreshTime ?? '');
  if (Number.isNaN(last)) return 0;
  // A time that lies ahead was written by a clock that was wrong.
  return Math.min(Math.max(last + interval - now, 0), interval);
}

export function isReady(status: ExternalSecretStatus | undefined): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
}

function sorted(record: Record<string, string> = {}): [string, string][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}
