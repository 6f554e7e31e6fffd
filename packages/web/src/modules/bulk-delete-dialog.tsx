import type { Deployment } from '@berth/core/deployment';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { messageOf } from '../api/problem.ts';
import { takeAnswer } from '../api/queries/deployment.ts';
import { Button } from '../components/button.tsx';
import { Dialog, DialogActions, DialogBody } from '../components/dialog.tsx';
import { useFeedback } from '../components/feedback.tsx';
import { Field, Input } from '../components/field.tsx';
import { countWords } from './count-words.ts';
import { inParallel } from './in-parallel.ts';

/** Deletes several after saying what goes with each; the words must be typed. */
export function BulkDeleteDialog(props: {
  open: boolean;
  deployments: readonly Deployment[];
  onClose: () => void;
  onDone: () => void;
}) {
  const { open, deployments, onClose, onDone } = props;
  const client = useQueryClient();
  const { toast } = useFeedback();
  const [typed, setTyped] = useState('');
  const [pending, setPending] = useState(false);
  const words = `delete ${deployments.length}`;
  const deleteAll = async () => {
    setPending(true);
    const failures = await inParallel(deployments, async ({ id, name }) => {
      try {
        takeAnswer(client, await call('deleteDeployment', { params: { id } }));
        return undefined;
      } catch (error) {
        return `${name}: ${messageOf(error)}`;
      }
    });
    setPending(false);
    setTyped('');
    for (const failure of failures.filter(Boolean)) toast({ tone: 'bad', text: `Could not delete ${failure}` });
    onDone();
  };
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && onClose()}
      title={`Delete ${countWords(deployments.length)}`}
      description="Their volumes, secrets, addresses and history go with them. This cannot be undone."
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (typed === words && !pending) void deleteAll();
        }}
      >
        <DialogBody>
          <ul className="max-h-52 overflow-y-auto rounded-control border border-line">
            {deployments.map((each) => {
              const volumes = each.services.flatMap((service) => service.volumes).length;
              return (
                <li key={each.id} className="flex justify-between gap-3 border-b border-line px-3 py-1.5 last:border-0">
                  <span className="truncate font-medium">{each.name}</span>
                  <span className="whitespace-nowrap text-muted">
                    {each.services.length} {each.services.length === 1 ? 'service' : 'services'}
                    {volumes > 0 && `, ${volumes} ${volumes === 1 ? 'volume' : 'volumes'}`}
                  </span>
                </li>
              );
            })}
          </ul>
          <Field id="bulk-delete" label={`Type “${words}” to confirm`}>
            {(control) => (
              <Input {...control} autoComplete="off" value={typed} onChange={(event) => setTyped(event.target.value)} />
            )}
          </Field>
        </DialogBody>
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="danger" pending={pending} disabled={typed !== words}>
            Delete {countWords(deployments.length)}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
