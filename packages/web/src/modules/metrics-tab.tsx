import { METRIC_RANGES, type MetricRange } from '@berth/core/metrics';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Link } from 'react-router';
import { revisionsQuery } from '../api/queries/deployment.ts';
import { Panel } from '../components/panel.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { SkeletonRows } from '../components/skeleton.tsx';
import { Switcher } from '../components/switcher.tsx';
import type { DeploymentTabProps } from './deployment-tabs.tsx';
import { ErrorPanel } from './error-panel.tsx';
import { beginOf, bytesOf, type Chart, coresOf, marksIn, rateOf } from './metrics-data.ts';
import { MetricsPanel } from './metrics-panel.tsx';
import { MetricsTable } from './metrics-table.tsx';
import { paths } from './paths.ts';
import { colourOf } from './service-colours.ts';
import { useMetrics } from './use-metrics.ts';
import { useUrlState } from './use-url-state.ts';

const RANGES = [
  { value: '1h', label: '1 hour, live' },
  { value: '6h', label: '6 hours' },
  { value: '24h', label: '24 hours' },
  { value: '7d', label: '7 days' },
] as const;

/** CPU, memory and requests over time, with the revisions that were rolled out meanwhile. */
export function MetricsTab({ deployment }: Pick<DeploymentTabProps, 'deployment'>) {
  const [asked, setRange] = useUrlState('range', '1h');
  const range: MetricRange = Object.hasOwn(METRIC_RANGES, asked) ? (asked as MetricRange) : '1h';
  const { metrics, error, retry, stale } = useMetrics(deployment.id, range);
  const revisions = useQuery(revisionsQuery(deployment.id));
  const marks = useMemo(() => marksIn(metrics?.at ?? [], revisions.data ?? []), [metrics?.at, revisions.data]);
  const [cursor, setCursor] = useState<number>();
  const charts = useMemo(() => metrics && chartsOf(metrics), [metrics]);
  const from = useMemo(
    () => beginOf(metrics?.at ?? [], charts?.flatMap(({ series }) => series.map(({ values }) => values)) ?? []),
    [metrics?.at, charts],
  );
  if (error) return <ErrorPanel what="The measurements" error={error} retry={retry} />;
  return (
    <div className="grid gap-3.5" aria-busy={stale}>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Switcher label="Time shown" value={range} onChange={setRange} choices={RANGES} />
        {metrics?.notice && <p className="min-w-0 flex-1 basis-72 text-pretty text-muted">{metrics.notice}</p>}
      </div>
      {!metrics || !charts ? (
        <Panel>
          <SkeletonRows rows={5} label="Loading the measurements" />
        </Panel>
      ) : (
        <>
          <div className="grid items-start gap-3.5 huge:grid-cols-2">
            {charts.map((each) => (
              <MetricsPanel
                key={each.title}
                {...each}
                at={metrics.at}
                from={from}
                marks={marks}
                cursor={cursor}
                onCursor={setCursor}
              />
            ))}
            <RolledOut deployment={deployment} marks={marks} revisions={revisions.data ?? []} />
          </div>
          <MetricsTable at={metrics.at} charts={charts} />
        </>
      )}
    </div>
  );
}

function chartsOf({ services, requests, errors }: NonNullable<ReturnType<typeof useMetrics>['metrics']>): Chart[] {
  const coloured = services.map((service, index) => ({ ...service, colour: colourOf(index).variable }));
  return [
    {
      title: 'CPU, cores',
      series: coloured.map(({ name, cpu, cpuLimit, colour }) => ({ name, values: cpu, colour, limit: cpuLimit })),
      words: coresOf,
      empty: 'Nothing was measured in this time.',
    },
    {
      title: 'Memory',
      series: coloured.map(({ name, memory, memoryLimit, colour }) => ({
        name,
        values: memory,
        colour,
        limit: memoryLimit,
      })),
      words: bytesOf,
      binary: true,
      empty: 'Nothing was measured in this time.',
    },
    {
      title: 'Requests a second',
      series: [
        { name: 'all answers', values: requests, colour: '--info' },
        { name: 'errors (500 and above)', values: errors, colour: '--bad' },
      ],
      words: rateOf,
      empty: 'No requests were counted in this time.',
    },
  ];
}

function RolledOut(
  props: Pick<DeploymentTabProps, 'deployment'> & {
    marks: ReturnType<typeof marksIn>;
    revisions: readonly { revision: number; summary: string; createdAt: string }[];
  },
) {
  const { deployment, marks, revisions } = props;
  const labels = new Set(marks.map(({ label }) => label));
  const shown = revisions.filter(({ revision }) => labels.has(`r${revision}`));
  return (
    <Panel title="Rolled out in this time" count={shown.length}>
      {shown.length === 0 ? (
        <p className="px-3.5 py-3 text-muted">Nothing was changed.</p>
      ) : (
        <ol className="max-h-60 overflow-y-auto">
          {shown.map(({ revision, summary, createdAt }) => (
            <li
              key={revision}
              className="relative grid min-h-9 grid-cols-[32px_minmax(0,1fr)_auto] items-center gap-x-2 border-b border-line px-3.5 py-1.5 last:border-0 hover:bg-sunken/60"
            >
              <Link
                className="numeric font-medium after:absolute after:inset-0"
                to={paths.revision(deployment.teamId, deployment.name, revision)}
              >
                <span className="sr-only">Revision </span>r{revision}
              </Link>
              <span className="truncate text-muted" title={summary}>
                {summary}
              </span>
              <span className="text-muted">
                <RelativeTime at={createdAt} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}
