import type { Deployment } from '@berth/core/deployment';
import { lazy, Suspense } from 'react';
import { mayChange } from './deployment-actions.ts';
import { useTeam } from './team-context.ts';
import { type DialogName, type DialogSubject, useDialog } from './use-dialog.ts';

/** What every dialog of a deployment gets. */
export interface DeploymentDialogProps {
  deployment: Deployment;
  subject: DialogSubject;
  onClose: () => void;
}

/** Each comes when it is first opened. */
const CONTENTS: Record<DialogName, React.ComponentType<DeploymentDialogProps>> = {
  rollback: lazy(async () => ({ default: (await import('./rollback-dialog.tsx')).RollbackDialog })),
  scale: lazy(async () => ({ default: (await import('./scale-dialog.tsx')).ScaleDialog })),
  restart: lazy(async () => ({ default: (await import('./restart-dialog.tsx')).RestartDialog })),
  clone: lazy(async () => ({ default: (await import('./clone-dialog.tsx')).CloneDialog })),
};

/** The dialog that the address names. */
export function DeploymentDialogs({ deployment }: { deployment: Deployment }) {
  const { name, subject, close } = useDialog();
  const { may } = useTeam();
  if (!name) return undefined;
  if (name === 'clone' ? !may('deployment:create') : !mayChange(deployment)) return undefined;
  const Contents = CONTENTS[name];
  return (
    <Suspense>
      <Contents key={JSON.stringify(subject)} deployment={deployment} subject={subject} onClose={close} />
    </Suspense>
  );
}
