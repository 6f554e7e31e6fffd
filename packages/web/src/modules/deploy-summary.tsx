import type { DeploymentPreview } from '@berth/core/deployment';
import { formatBytes, formatCores, quantity } from '@berth/core/quantity';
import { TriangleAlert } from 'lucide-react';
import { Meter } from '../components/meter.tsx';
import { Panel } from '../components/panel.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { whenWords } from './schedule-words.ts';

/** What a deploy will make and what it takes of the plan, as the form stands. */
export function DeploySummary(props: {
  preview: DeploymentPreview | undefined;
  stale: boolean;
  incomplete: boolean;
  problem: Error | undefined;
}) {
  const { preview, stale, incomplete, problem } = props;
  return (
    <Panel title="What will be made">
      <div aria-busy={stale}>
        {!preview && incomplete && (
          <p className="px-3.5 py-3 text-muted">
            Services, volumes and use of the plan show here once the form is right.
          </p>
        )}
        {!preview && !incomplete && problem && <p className="px-3.5 py-3 text-bad">{problem.message}</p>}
        {!preview && !incomplete && !problem && (
          <div role="status" aria-label="Loading the summary" className="flex flex-col gap-3 p-3.5">
            <Skeleton className="w-40" />
            <Skeleton className="w-56" />
            <Skeleton className="w-32" />
          </div>
        )}
        {preview && <Contents preview={preview} />}
      </div>
    </Panel>
  );
}

function Contents({ preview }: { preview: DeploymentPreview }) {
  const { deployments } = preview.plan;
  return (
    <>
      <ul>
        {preview.services.map((service) => (
          <li key={service.name} className="border-b border-line px-3.5 py-2">
            <p className="flex justify-between gap-3">
              <span className="font-medium">{service.name}</span>
              <span className="text-muted">
                {service.replicas} {service.replicas === 1 ? 'pod' : 'pods'}
              </span>
            </p>
            <p className="mono truncate text-muted">{service.image}</p>
            {service.volumes.map((volume) => (
              <p key={volume.name} className="flex justify-between gap-3 text-muted">
                <span>volume {volume.name}</span>
                <span className="numeric">{formatBytes(quantity(volume.size))}</span>
              </p>
            ))}
          </li>
        ))}
        {preview.jobs.map((job) => (
          <li key={`job ${job.name}`} className="border-b border-line px-3.5 py-2">
            <p className="flex justify-between gap-3">
              <span className="font-medium">{job.name}</span>
              <span className="text-muted">job</span>
            </p>
            <p className="text-muted" title={job.schedule}>
              {whenWords(job)}
            </p>
          </li>
        ))}
      </ul>
      <dl className="grid grid-cols-3 gap-3 border-b border-line px-3.5 py-3">
        <Figure label="CPU" value={formatCores(preview.uses.cpu)} unit={preview.uses.cpu === 1 ? 'core' : 'cores'} />
        <Figure label="Memory" value={formatBytes(preview.uses.memory)} />
        <Figure label="Storage" value={formatBytes(preview.uses.storage)} />
      </dl>
      <div className="px-3.5 py-3">
        <p className="mb-1.5 flex justify-between gap-3">
          <span className="text-muted">Deployments of the plan, with this one</span>
          <span className="numeric font-medium">
            {deployments.used + 1}
            {deployments.allowed === undefined ? ', no limit' : ` of ${deployments.allowed}`}
          </span>
        </p>
        <Meter label="Deployments of the plan" used={deployments.used + 1} allowed={deployments.allowed} />
        {deployments.allowed !== undefined && deployments.used >= deployments.allowed && (
          <p className="mt-2 text-bad">
            The plan allows no more. Delete one first, or ask an administrator of the platform for a larger plan.
          </p>
        )}
      </div>
      {preview.warnings.length > 0 && (
        <ul className="border-t border-line px-3.5 py-2.5">
          {preview.warnings.map((warning) => (
            <li key={warning} className="flex gap-2 py-0.5 text-warn">
              <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
              <span className="wrap-anywhere">{warning}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Figure({ label, value, unit }: { label: string; value: string; unit?: string }) {
  return (
    <div>
      <dt className="text-hint text-muted">{label}</dt>
      <dd className="numeric font-semibold">
        {value} {unit && <span className="font-normal text-muted">{unit}</span>}
      </dd>
    </div>
  );
}
