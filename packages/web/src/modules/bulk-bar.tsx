import type { Deployment } from '@berth/core/deployment';
import { X } from 'lucide-react';
import { useState } from 'react';
import { Button, IconButton } from '../components/button.tsx';
import { useFeedback } from '../components/feedback.tsx';
import { BulkDeleteDialog } from './bulk-delete-dialog.tsx';
import { countWords } from './count-words.ts';
import { type ActionId, DEPLOYMENT_ACTIONS, mayDelete, possibleActions } from './deployment-actions.ts';
import { inParallel } from './in-parallel.ts';
import { useRunAction } from './use-deployment-actions.ts';

/** What can be done with all that is selected. An action shows only when it fits at least one. */
export function BulkBar({ selected, onClear }: { selected: readonly Deployment[]; onClear: () => void }) {
  const run = useRunAction();
  const { toast } = useFeedback();
  const [deleting, setDeleting] = useState(false);
  if (selected.length === 0) return undefined;
  const fitting = (id: ActionId) => selected.filter((each) => possibleActions(each).some((action) => action.id === id));
  const runAll = async (id: ActionId) => {
    const fit = fitting(id);
    const results = await inParallel(fit, (each) => run(each, id));
    const done = results.filter(Boolean).length;
    if (done === 0) return;
    const { undo, doing } = DEPLOYMENT_ACTIONS[id];
    toast({
      tone: 'ok',
      text: `${doing} ${countWords(done)}`,
      action: undo && { label: 'Undo', run: () => void inParallel(fit, (each) => run(each, undo)) },
    });
  };
  const deletable = selected.filter(mayDelete);
  return (
    <div
      role="toolbar"
      aria-label="Actions for the selection"
      className="fixed inset-x-3 bottom-4 z-20 mx-auto flex w-fit max-w-full animate-rise flex-wrap items-center gap-2 rounded-[10px] bg-panel p-1.5 pl-3.5 shadow-floating max-wide:bottom-[68px]"
    >
      <span className="numeric mr-2 font-medium" role="status">
        {selected.length} selected
      </span>
      {Object.values(DEPLOYMENT_ACTIONS).map(({ id, label }) => {
        const fit = fitting(id).length;
        return (
          fit > 0 && (
            <Button key={id} onClick={() => void runAll(id)}>
              {fit === selected.length ? label : `${label} ${fit}`}
            </Button>
          )
        );
      })}
      {deletable.length > 0 && (
        <Button look="danger" onClick={() => setDeleting(true)}>
          Delete…
        </Button>
      )}
      <IconButton label="Clear the selection" icon={<X aria-hidden className="size-4" />} onClick={onClear} />
      <BulkDeleteDialog
        open={deleting}
        deployments={deletable}
        onClose={() => setDeleting(false)}
        onDone={() => {
          setDeleting(false);
          onClear();
        }}
      />
    </div>
  );
}
