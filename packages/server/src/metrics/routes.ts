import { BerthError } from '@berth/core/errors';
import type { CurrentUse } from '@berth/core/metrics';
import type { KubeClient } from '@berth/kube/client/client';
import type { Clock } from '@berth/kube/client/clock';
import type { Database } from '../db/database.ts';
import { findById, list } from '../deployment/deployment-repository.ts';
import type { DeploymentView } from '../deployment/deployment-row.ts';
import type { Handlers } from '../http/handler.ts';
import type { LiveHub } from '../live/live-hub.ts';
import { measuredServices } from './measured-services.ts';
import { createMeasuringNotice } from './measuring-notice.ts';
import { rounded, timesOf, toMetrics } from './metric-series.ts';
import type { ReadRouterMetrics } from './router-metrics.ts';
import { listNewest, listSamples, type MetricSample } from './sample-repository.ts';
import { streamMetrics } from './stream-metrics.ts';

export type MetricRouteName = 'getMetrics' | 'streamMetrics' | 'listCurrentUse';

export interface MetricRoutesDeps {
  database: Database;
  client: Pick<KubeClient, 'list'>;
  hub: LiveHub;
  timer: Clock;
  readRouterMetrics?: ReadRouterMetrics | undefined;
  /** The only namespaces that may be looked into; all when absent. */
  confinedTo?: readonly string[] | undefined;
}

const MOST_DEPLOYMENTS = 10_000;
/** Older is not what is used now. */
const CURRENT_MS = 45_000;

export function metricHandlers(deps: MetricRoutesDeps): Handlers<MetricRouteName> {
  const { database, timer } = deps;
  const noticeOf = createMeasuringNotice(deps);
  return {
    async getMetrics({ params, query }) {
      const range = query.range ?? '1h';
      const row = await findById(database, params.id);
      if (!row) throw new BerthError('not_found', 'There is no such thing, or you may not see it');
      const now = timer.now();
      const { from, until, step } = timesOf(range, now);
      const span = { step, from: new Date(from * 1000), current: new Date((until - step) * 1000) };
      const [samples, notice] = await Promise.all([listSamples(database, row.id, span), noticeOf()]);
      return toMetrics(range, now, { samples, services: measuredServices(row), notice });
    },
    streamMetrics: (context) => streamMetrics(deps, context),
    async listCurrentUse({ scope }) {
      const rows = await list(database, { teamId: scope.teamId, limit: MOST_DEPLOYMENTS });
      const after = new Date(timer.now() - CURRENT_MS);
      const newest = await listNewest(
        database,
        rows.map(({ id }) => id),
        after,
      );
      const samples = new Map(newest.map((sample) => [`${sample.deploymentId} ${sample.service}`, sample]));
      return { items: rows.flatMap((row) => currentUse(row, (service) => samples.get(`${row.id} ${service}`))) };
    },
  };
}

function currentUse(row: DeploymentView, sampleOf: (service: string) => MetricSample | undefined): CurrentUse[] {
  const exposed = row.spec.exposure?.[0]?.service;
  return measuredServices(row).map(({ name, pods, cpuLimit, memoryLimit }) => {
    const used = sampleOf(name);
    const asked = name === exposed ? sampleOf('') : undefined;
    const at = used?.at ?? asked?.at;
    return {
      deployment: row.id,
      name: row.name,
      service: name,
      pods,
      ...number('cpu', used?.cpu, 5),
      ...number('memory', used?.memory, 0),
      ...(cpuLimit !== undefined && { cpuLimit }),
      ...(memoryLimit !== undefined && { memoryLimit }),
      ...number('requests', asked?.requests, 3),
      ...number('errors', asked?.errors, 3),
      ...(at && { at: at.toISOString() }),
    };
  });
}

function number<K extends string>(key: K, value: number | undefined, digits: number): { [key in K]?: number } {
  const told = rounded(value, digits);
  return (told === null ? {} : { [key]: told }) as { [key in K]?: number };
}
