import { METRIC_RANGES } from '@berth/core/metrics';
import type { Queryable } from '../db/database.ts';
import { LIVE_CHANNEL } from '../live/live-changes.ts';
import type { RequestRate } from './request-rates.ts';
import type { ServiceUse } from './service-use.ts';

/** SQL on `metric_samples`. A sample of a step stands at the beginning of it; a column that was not measured is null. */
export interface MetricSample {
  at: Date;
  /** Empty for what the public addresses were asked. */
  service: string;
  cpu?: number;
  memory?: number;
  requests?: number;
  errors?: number;
}

/** Who listens to this hears of every round of measuring. */
export const METRICS_KEY = 'metrics';

export const STEPS = Object.values(METRIC_RANGES).map(({ stepSeconds, seconds }) => ({ step: stepSeconds, seconds }));
const [FINEST] = STEPS.map(({ step }) => step);
/** Coarser steps are made from finer ones that must still be there. */
const KEPT_LONGER_SECONDS = 600;

/**
 * One round, in one statement: what services use by the names of their pods' labels, what hosts were asked by who claims them. A host that
 * nobody asked counts as none; without rates (`undefined`) it is not known.
 */
export async function insertSamples(
  queryable: Queryable,
  round: { at: Date; use: readonly ServiceUse[]; rates: readonly RequestRate[] | undefined },
): Promise<void> {
  const { at, use, rates } = round;
  await queryable.execute(
    `with used as (
       select * from unnest($3::text[], $4::text[], $5::text[], $6::real[], $7::float8[])
         as u (namespace, deployment, service, cpu, memory)
     ), asked as (
       select * from unnest($8::text[], $9::real[], $10::real[]) as a (host, requests, errors)
     ), written as (
       insert into metric_samples (deployment_id, step, at, service, cpu, memory, requests, errors)
       select d.id, $2::int, $1::timestamptz, u.service, u.cpu, u.memory, null::real, null::real
       from used u join teams t on t.namespace = u.namespace join deployments d on d.team_id = t.id and d.name = u.deployment
       union all
       select c.deployment_id, $2, $1, '', null, null, sum(coalesce(a.requests, 0)), sum(coalesce(a.errors, 0))
       from host_claims c left join asked a on a.host = c.host where $11::boolean group by c.deployment_id
       on conflict do nothing
     )
     select pg_notify('${LIVE_CHANNEL}', '${METRICS_KEY}')`,
    [
      at,
      FINEST,
      use.map((each) => each.namespace),
      use.map((each) => each.deployment),
      use.map((each) => each.service),
      use.map((each) => each.cpu),
      use.map((each) => each.memory),
      (rates ?? []).map((each) => each.host),
      (rates ?? []).map((each) => each.requests),
      (rates ?? []).map((each) => each.errors),
      rates !== undefined,
    ],
  );
}

/** Makes the samples of a step from the next finer ones: all whole steps since the last that was made. */
export async function rollUp(queryable: Queryable, step: number, now: Date): Promise<void> {
  const index = STEPS.findIndex((each) => each.step === step);
  const finer = STEPS[index - 1];
  if (!finer) return;
  await queryable.execute(
    `insert into metric_samples (deployment_id, step, at, service, cpu, memory, requests, errors)
     select deployment_id, $1::int, date_bin(make_interval(secs => $1::int), at, 'epoch'::timestamptz), service,
       avg(cpu), avg(memory), avg(requests), avg(errors)
     from metric_samples
     where step = $2 and at < date_bin(make_interval(secs => $1::int), $3::timestamptz, 'epoch'::timestamptz)
       and at >= coalesce((select max(at) + make_interval(secs => $1::int) from metric_samples where step = $1), '-infinity')
     group by 1, 3, 4
     on conflict do nothing`,
    [step, finer.step, now],
  );
}

export async function deleteOldSamples(queryable: Queryable, now: Date): Promise<number> {
  return queryable.execute(
    `delete from metric_samples m using unnest($1::int[], $2::timestamptz[]) as old (step, before)
     where m.step = old.step and m.at < old.before`,
    [
      STEPS.map(({ step }) => step),
      STEPS.map(({ seconds }) => new Date(now.getTime() - (seconds + KEPT_LONGER_SECONDS) * 1000)),
    ],
  );
}

/** In the order of time. The newest step, which is not over yet, is made of the finest samples. */
export async function listSamples(
  queryable: Queryable,
  deploymentId: string,
  { step, from, current }: { step: number; from: Date; current: Date },
): Promise<MetricSample[]> {
  return queryable.query<MetricSample>(
    `select at, service, cpu, memory, requests, errors from metric_samples
     where deployment_id = $1 and step = $2 and at >= $3
     union all
     select date_bin(make_interval(secs => $2::int), at, 'epoch'::timestamptz), service,
       avg(cpu), avg(memory), avg(requests), avg(errors)
     from metric_samples where deployment_id = $1 and step = $5 and $2 <> $5 and at >= greatest($4, coalesce(
       (select max(at) + make_interval(secs => $2::int) from metric_samples where deployment_id = $1 and step = $2), $4))
     group by 1, 2
     order by at`,
    [deploymentId, step, from, current, FINEST],
  );
}

/** Of the finest step, in the order of time. */
export async function listSamplesAfter(
  queryable: Queryable,
  deploymentId: string,
  after: Date,
): Promise<MetricSample[]> {
  return queryable.query<MetricSample>(
    `select at, service, cpu, memory, requests, errors from metric_samples
     where deployment_id = $1 and step = $2 and at > $3 order by at`,
    [deploymentId, FINEST, after],
  );
}

/** Of all that were measured after a time, the newest. */
export async function listNewest(
  queryable: Queryable,
  deploymentIds: readonly string[],
  after: Date,
): Promise<(MetricSample & { deploymentId: string })[]> {
  return queryable.query(
    `select distinct on (deployment_id, service) deployment_id, at, service, cpu, memory, requests, errors
     from metric_samples where deployment_id = any($1) and step = $2 and at > $3
     order by deployment_id, service, at desc`,
    [deploymentIds, FINEST, after],
  );
}
