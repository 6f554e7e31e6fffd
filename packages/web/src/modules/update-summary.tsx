import type { UpdatePreview } from '@berth/core/deployment';
import { TriangleAlert } from 'lucide-react';
import { Panel } from '../components/panel.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { ChangeList } from './change-list.tsx';
import { namesInWords } from './update-words.ts';

/** What saving the settings would do: which services restart, which is down meanwhile, and every difference. */
export function UpdateSummary(props: {
  /** Something was typed, and it is right. */
  asked: boolean;
  preview: UpdatePreview | undefined;
  stale: boolean;
  problem: Error | undefined;
  paused: boolean;
}) {
  const { asked, preview, stale, problem, paused } = props;
  return (
    <Panel title="What saving changes" count={preview?.changes.length}>
      <div aria-busy={stale}>
        {!asked && <p className="px-3.5 py-3 text-muted">Nothing is changed yet.</p>}
        {asked && problem && <p className="px-3.5 py-3 text-bad text-pretty">{problem.message}</p>}
        {asked && !problem && !preview && (
          <div role="status" aria-label="Loading what would change" className="flex flex-col gap-3 p-3.5">
            <Skeleton className="w-40" />
            <Skeleton className="w-56" />
          </div>
        )}
        {asked && !problem && preview && (
          <>
            <ul className="grid gap-1 border-b border-line px-3.5 py-3 last:border-0">
              {sentences(preview, paused).map((sentence) => (
                <li key={sentence} className="text-pretty">
                  {sentence}
                </li>
              ))}
            </ul>
            {preview.warnings.map((warning) => (
              <p key={warning} className="flex gap-2 border-b border-line px-3.5 py-2 text-warn">
                <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
                <span className="wrap-anywhere">{warning}</span>
              </p>
            ))}
            {preview.changes.length > 0 && <ChangeList compact changes={preview.changes} />}
          </>
        )}
      </div>
    </Panel>
  );
}

function sentences({ rolls, replaces, changes }: UpdatePreview, paused: boolean): string[] {
  if (changes.length === 0) return ['Nothing is different from what is there.'];
  if (rolls.length + replaces.length === 0) return ['No service restarts.'];
  return [
    ...(replaces.length > 0
      ? [`${namesInWords(replaces)} will be down for some seconds: a service with a volume is replaced.`]
      : []),
    ...(rolls.length > 0
      ? [
          `${namesInWords(rolls)} ${rolls.length === 1 ? 'gets' : 'get'} new pods beside the old ones: no request fails.`,
        ]
      : []),
    ...(paused ? ['Updates are paused: it waits until you resume.'] : []),
  ];
}
