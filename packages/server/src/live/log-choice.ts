import type { RouteQuery } from '@berth/core/api';
import { BerthError } from '@berth/core/errors';
import type { LogLevel } from '@berth/core/log-event';
import { isAtLeast } from '@berth/core/log-level';
import type { DeploymentView } from '../deployment/deployment-row.ts';
import type { LogLine } from './log-line.ts';
import type { DeploymentPods } from './pod-logs.ts';

/** What of a deployment's logs somebody asked for. */
export interface LogChoice {
  pods: DeploymentPods;
  /** Names of what may have a pod: to say of which there is none. */
  expected: string[];
  previous: boolean;
  tail: number | undefined;
  /** RFC 3339. */
  since: string | undefined;
  /** Whether a line is wanted, and its level; nothing is filtered when absent. */
  fits: ((line: LogLine, level: LogLevel | undefined) => boolean) | undefined;
}

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

export function logChoice(row: DeploymentView | undefined, query: RouteQuery<'downloadLogs'>, now: number): LogChoice {
  const services = row?.spec.services.map(({ name }) => name) ?? [];
  const jobs = row?.spec.jobs?.map(({ name }) => name) ?? [];
  const asked = query.service?.split(',');
  const unknown = asked?.find((name) => !services.includes(name) && !jobs.includes(name));
  if (!row || unknown !== undefined) {
    throw new BerthError('not_found', `The deployment has no service "${unknown ?? ''}".`);
  }
  return {
    pods: { namespace: row.namespace, deployment: row.name, services: asked, pod: query.pod },
    expected: query.pod === undefined ? (asked ?? services) : [],
    previous: query.previous === 'true',
    tail: query.tail,
    since: query.since === undefined ? undefined : timeOf(query.since, now),
    fits: filterOf(query),
  };
}

function timeOf(since: string, now: number): string {
  const [, amount, unit] = /^(\d+)([smhd])$/.exec(since) ?? [];
  if (amount === undefined) return new Date(since).toISOString();
  const milliseconds = Number(amount) * SECONDS[unit as keyof typeof SECONDS] * 1000;
  return new Date(Math.max(0, now - milliseconds)).toISOString();
}

function filterOf({ level: least, q }: RouteQuery<'downloadLogs'>): LogChoice['fits'] {
  const needle = q?.toLowerCase();
  if (least === undefined && !needle) return undefined;
  return ({ text }, level) =>
    (least === undefined || isAtLeast(level, least)) && (!needle || text.toLowerCase().includes(needle));
}
