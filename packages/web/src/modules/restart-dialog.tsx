import { call } from '../api/client.ts';
import { messageOf } from '../api/problem.ts';
import { Banner } from '../components/banner.tsx';
import { Button } from '../components/button.tsx';
import { Dialog, DialogActions, DialogBody } from '../components/dialog.tsx';
import { DEPLOYMENT_ACTIONS, servicesDown } from './deployment-actions.ts';
import type { DeploymentDialogProps } from './deployment-dialogs.tsx';
import { namesInWords } from './update-words.ts';
import { useDialogChange } from './use-dialog-change.ts';

/** Restarts one service or all of them, after saying what is down meanwhile. */
export function RestartDialog({ deployment, subject, onClose }: DeploymentDialogProps) {
  const service = deployment.services.find((each) => each.name === subject.of)?.name;
  const { pending, failure, run } = useDialogChange(onClose);
  const what = service ?? deployment.name;
  const down = servicesDown(deployment, service === undefined ? undefined : [service]);
  const { id } = deployment;
  const restart = () =>
    run({
      id,
      doing: service === undefined ? 'Restarting' : `Restarting ${service}`,
      work: () => call('restartDeployment', { params: { id }, body: service === undefined ? {} : { service } }),
    });
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={`Restart ${what}`}>
      <DialogBody>
        {failure !== undefined && <Banner takesFocus tone="bad" title={messageOf(failure)} />}
        <p className="text-pretty">{DEPLOYMENT_ACTIONS.restart.consequence}</p>
        {down.length > 0 ? (
          <p className="text-pretty">
            <b>{namesInWords(down)}</b> will be down for some seconds: a service with a volume is replaced.
          </p>
        ) : (
          <p className="text-pretty text-muted">New pods come beside the old ones, so no request fails.</p>
        )}
      </DialogBody>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" pending={pending} onClick={() => void restart()}>
          Restart {what}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
