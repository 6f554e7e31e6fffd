import type { KubeClient } from '@berth/kube/client/client';
import { type Clock, delay } from '@berth/kube/client/clock';
import type { Database } from '../db/database.ts';
import type { Logger } from '../logger.ts';
import { createRequestRates, type RequestRate } from './request-rates.ts';
import type { ReadRouterMetrics } from './router-metrics.ts';
import { listClaimedHosts, ruleHosts } from './rule-hosts.ts';
import { deleteOldSamples, insertSamples, rollUp, STEPS } from './sample-repository.ts';
import { listServiceUse, type ServiceUse } from './service-use.ts';

/**
 * Measures every ten seconds, on the one server that observes: what services use from `metrics.k8s.io`, what public hosts were asked
 * from the router. Either may be absent: what was not measured is a gap, never a zero. Coarser steps are made and old samples deleted
 * as the minutes pass; a server that takes over goes on where the last one ended.
 */
export interface Sampler {
  /** Measures until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

export interface SamplerDeps {
  database: Database;
  client: Pick<KubeClient, 'list'>;
  /** Absent where Berth's own router is not used. */
  readRouterMetrics?: ReadRouterMetrics | undefined;
  /** The only namespaces that may be looked into; all when absent. */
  confinedTo?: readonly string[] | undefined;
  logger: Logger;
  timer: Clock;
}

const [FINEST, ...COARSER] = STEPS.map(({ step }) => step);
const EVERY_MS = (FINEST ?? 10) * 1000;
const PRUNE_EVERY_SECONDS = 60;
const CLUSTER_TIMEOUT_MS = 5_000;

export function createSampler({
  database,
  client,
  readRouterMetrics,
  confinedTo,
  logger,
  timer,
}: SamplerDeps): Sampler {
  const log = logger.child({ worker: 'sampler' });
  const ratesOf = createRequestRates();
  const failing = new Set<string>();

  /** The result, or nothing: said once when it begins to fail, and once when it works again. */
  async function attempt<T>(what: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      const result = await work();
      if (failing.delete(what)) log.info({ what }, 'measured again');
      return result;
    } catch (err) {
      if (!failing.has(what)) log.warn({ err, what }, 'not measured');
      failing.add(what);
      return undefined;
    }
  }

  const use = (signal: AbortSignal): Promise<ServiceUse[] | undefined> =>
    attempt('use of services', () =>
      listServiceUse(client, timer.now(), {
        signal: AbortSignal.any([signal, AbortSignal.timeout(CLUSTER_TIMEOUT_MS)]),
        confinedTo,
      }),
    );

  async function rates(signal: AbortSignal): Promise<RequestRate[] | undefined> {
    const readings = readRouterMetrics && (await attempt('requests', () => readRouterMetrics(signal)));
    const read = readings && ratesOf(readings, timer.monotonic());
    if (read === undefined || read.rules.length === 0) return read?.rates;
    const claims = await attempt('hosts of rules', () => listClaimedHosts(database));
    if (claims === undefined) return undefined;
    const hosts = ruleHosts(
      read.rules.map((rule) => rule.host),
      claims,
    );
    // What leads to something else than an app of ours counts for nothing.
    const ofRules = read.rules.flatMap((rule) => {
      const host = hosts.get(rule.host);
      return host === undefined ? [] : [{ ...rule, host }];
    });
    return [...read.rates, ...ofRules];
  }

  async function round(at: number, signal: AbortSignal): Promise<void> {
    const [used, asked] = await Promise.all([use(signal), rates(signal)]);
    if (signal.aborted) return;
    await attempt('storing', async () => {
      await insertSamples(database, { at: new Date(at), use: used ?? [], rates: asked });
      const seconds = at / 1000;
      for (const step of COARSER) if (seconds % step === 0) await rollUp(database, step, new Date(at));
      if (seconds % PRUNE_EVERY_SECONDS === 0) await deleteOldSamples(database, new Date(at));
    });
  }

  return {
    async run(signal) {
      // What a server before this one left undone.
      await attempt('storing', async () => {
        for (const step of COARSER) await rollUp(database, step, new Date(timer.now()));
      });
      while (!signal.aborted) {
        const at = Math.floor(timer.now() / EVERY_MS + 1) * EVERY_MS;
        await delay(timer, at - timer.now(), signal);
        if (!signal.aborted) await round(at, signal);
      }
    },
  };
}
