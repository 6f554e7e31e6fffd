import type { Usage } from '@berth/core/deployment';
import { Meter } from '../components/meter.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { usageLines } from './usage.ts';

/** Use of the plan in four figures. */
export function UsageTiles({ usage }: { usage: Usage | undefined }) {
  const keys = ['deployments', 'cpu', 'memory', 'storage'] as const;
  const lines = usage && usageLines(usage);
  return (
    <dl className="grid grid-cols-2 gap-3.5">
      {keys.map((key, index) => {
        const line = lines?.[index];
        return (
          <div key={key} className="rounded-panel border border-line bg-panel px-3.5 py-3">
            <dt className="text-muted">{line?.label ?? <Skeleton className="my-1 w-16" />}</dt>
            <dd>
              <span className="numeric block text-figure font-semibold tracking-[-0.02em]">
                {line?.usedWords ?? <Skeleton className="my-1.5 h-4 w-14" />}
              </span>
              <span className="mb-2 block text-faint">{line?.ofWords ?? <Skeleton className="my-1 w-20" />}</span>
              <Meter label={`${line?.label ?? key} used`} used={line?.used ?? 0} allowed={line?.allowed} />
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
