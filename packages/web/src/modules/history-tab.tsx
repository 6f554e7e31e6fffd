import type { Deployment } from '@berth/core/deployment';
import { Panel } from '../components/panel.tsx';
import { Switcher } from '../components/switcher.tsx';
import type { DeploymentTabProps } from './deployment-tabs.tsx';
import { RevisionList } from './revision-list.tsx';
import { RevisionView } from './revision-view.tsx';
import { Timeline } from './timeline.tsx';
import { useUrlState } from './use-url-state.ts';

const VIEWS = [
  { value: '', label: 'Revisions' },
  { value: 'everything', label: 'Everything' },
] as const;

/** Who changed what, and everything else that happened; one revision when the address names it. */
export function HistoryTab({ deployment, part }: Pick<DeploymentTabProps, 'deployment' | 'part'>) {
  if (part !== '') return <RevisionView key={part} deployment={deployment} revision={Number(part)} />;
  return <History deployment={deployment} />;
}

function History({ deployment }: { deployment: Deployment }) {
  const [view, setView] = useUrlState('view');
  return (
    <>
      <div className="mb-3">
        <Switcher label="What to show" value={view} onChange={setView} choices={VIEWS} />
      </div>
      {view === 'everything' ? (
        <Timeline deployment={deployment} />
      ) : (
        <Panel>
          <RevisionList deployment={deployment} />
        </Panel>
      )}
    </>
  );
}
