import type { Deployment, RevisionChange, RevisionDetail } from '@berth/core/deployment';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { call } from '../api/client.ts';
import { messageOf } from '../api/problem.ts';
import { revisionQuery } from '../api/queries/deployment.ts';
import { Banner } from '../components/banner.tsx';
import { Button } from '../components/button.tsx';
import { Dialog, DialogActions, DialogBody } from '../components/dialog.tsx';
import { useFeedback } from '../components/feedback.tsx';
import { Panel } from '../components/panel.tsx';
import { SkeletonRows } from '../components/skeleton.tsx';
import { ChangeList } from './change-list.tsx';
import { servicesDown } from './deployment-actions.ts';
import type { DeploymentDialogProps } from './deployment-dialogs.tsx';
import { ErrorPanel } from './error-panel.tsx';
import { paths } from './paths.ts';
import { namesInWords } from './update-words.ts';
import { useDialogChange } from './use-dialog-change.ts';

/** Says what a rollback changes, what stays and what is down meanwhile, before it is done. */
export function RollbackDialog({ deployment, subject, onClose }: DeploymentDialogProps) {
  const to = Number(subject.to);
  const [seen] = useState(deployment.revision);
  const known = Number.isInteger(to) && to > 0;
  const query = useQuery({ ...revisionQuery(deployment.id, to, seen), enabled: known });
  const detail = query.data && { ...query.data, changes: query.data.changes.filter(comesBack) };
  const { pending, failure, rollBack } = useRollback(deployment, { to, seen }, onClose);
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      className="max-w-[620px]!"
      title={known ? `Roll back to ${to}` : 'Roll back'}
      description={`Makes a new revision of ${deployment.name} that is what revision ${known ? to : ''} was.`}
    >
      <DialogBody>
        {failure !== undefined && (
          <Banner takesFocus tone="bad" title={messageOf(failure)}>
            Nothing was changed.
          </Banner>
        )}
        {!known && <p>The address names no revision. Choose one in the history.</p>}
        {query.error && <ErrorPanel what={`Revision ${to}`} error={query.error} retry={() => void query.refetch()} />}
        {detail && detail.changes.length > 0 && <Consequences deployment={deployment} detail={detail} />}
        {known && !query.error && <Changes deployment={deployment} detail={detail} />}
      </DialogBody>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          look="primary"
          pending={pending}
          disabled={!detail || detail.changes.length === 0}
          onClick={() => void rollBack()}
        >
          {known ? `Roll back to ${to}` : 'Roll back'}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

/** Whether it runs, and whether its updates are paused, stays as it is today. */
function comesBack({ subject, field }: RevisionChange): boolean {
  return subject !== 'Deployment' || (field !== 'state' && field !== 'updates');
}

function useRollback(deployment: Deployment, { to, seen }: { to: number; seen: number }, onDone: () => void) {
  const { toast } = useFeedback();
  const navigate = useNavigate();
  const { pending, failure, run } = useDialogChange((answer) => {
    const { teamId, name, revision } = answer;
    const view = { label: 'View', run: () => void navigate(paths.revision(teamId, name, revision)) };
    toast({ tone: 'ok', text: `Rolling back to ${to}, as revision ${revision}`, action: view });
    onDone();
  });
  const { id } = deployment;
  const work = () => call('rollBackDeployment', { params: { id }, body: { revision: to }, ifMatch: seen });
  return { pending, failure, rollBack: () => run({ id, doing: 'Rolling back', work }) };
}

function Changes({ deployment, detail }: { deployment: Deployment; detail: RevisionDetail | undefined }) {
  return (
    <Panel title={`From ${deployment.revision} to ${detail?.revision ?? '…'}`} count={detail?.changes.length}>
      {!detail && <SkeletonRows rows={3} label="Loading what would change" />}
      {detail?.changes.length === 0 && <p className="px-3.5 py-3 text-muted">Nothing is different.</p>}
      {detail && detail.changes.length > 0 && <ChangeList compact changes={detail.changes} />}
    </Panel>
  );
}

function Consequences({ deployment, detail }: { deployment: Deployment; detail: RevisionDetail }) {
  const touched = detail.changes.map((each) => each.subject);
  const down = servicesDown(deployment, touched);
  const volumes = deployment.services.flatMap((each) => each.volumes.map((volume) => `${each.name}/${volume.name}`));
  const secrets = deployment.secrets.length;
  return (
    <ul className="grid list-disc gap-1 pl-4 text-pretty marker:text-faint">
      {down.length > 0 && (
        <li>
          <b>{namesInWords(down)}</b> will be down for some seconds: a service with a volume is replaced.
        </li>
      )}
      {volumes.length > 0 && (
        <li>
          Data stays as it is today, in <span className="mono">{volumes.join(', ')}</span>.
        </li>
      )}
      {secrets > 0 && <li>{secrets === 1 ? 'The secret keeps' : `All ${secrets} secrets keep`} today’s value.</li>}
      {down.length === 0 && deployment.desired === 'running' && !deployment.paused && (
        <li>New pods come beside the old ones, so no request fails.</li>
      )}
      {deployment.paused && <li>Updates are paused: it waits until you resume.</li>}
    </ul>
  );
}
