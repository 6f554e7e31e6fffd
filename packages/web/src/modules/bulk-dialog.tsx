import type { Deployment } from '@berth/core/deployment';
import { type FormEvent, useState } from 'react';
import { Button } from '../components/button.tsx';
import { Dialog, DialogActions, DialogBody } from '../components/dialog.tsx';
import { Field, Input } from '../components/field.tsx';
import { StateDot } from '../components/state-dot.tsx';
import { type BulkAction, bulkConsequence, bulkLabel, whatIsLost } from './bulk-actions.ts';
import { countWords } from './count-words.ts';
import { type BulkResult, type UseBulk, useBulk } from './use-bulk.ts';

/** Says what an action on several deployments takes with it, then shows how each one went. */
export function BulkDialog(props: {
  action: BulkAction;
  deployments: readonly Deployment[];
  onClose: () => void;
  /** All went well. */
  onDone: () => void;
}) {
  const { action, onClose, onDone } = props;
  // What was selected when it was asked for: rows that change or go meanwhile stay in the list.
  const [deployments] = useState(props.deployments);
  const bulk = useBulk(action);
  const words = countWords(deployments.length);
  const close = () => (bulk.state === 'done' && bulk.failed.length === 0 ? onDone() : onClose());
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && bulk.state !== 'running' && close()}
      className="max-w-[560px]!"
      title={`${bulkLabel(action)} ${words}`}
      description={bulkConsequence(action)}
    >
      {bulk.state === 'asking' ? (
        <Question action={action} deployments={deployments} bulk={bulk} onClose={onClose} />
      ) : (
        <Results action={action} deployments={deployments} bulk={bulk} onClose={close} />
      )}
    </Dialog>
  );
}

interface PartProps {
  action: BulkAction;
  deployments: readonly Deployment[];
  bulk: UseBulk;
  onClose: () => void;
}

function Question({ action, deployments, bulk, onClose }: PartProps) {
  const [typed, setTyped] = useState('');
  const deleting = action === 'delete';
  const wanted = `delete ${deployments.length}`;
  const sure = !deleting || typed.trim() === wanted;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (sure) void bulk.run(deployments);
  };
  return (
    <form onSubmit={submit} className="contents">
      <DialogBody>
        <List deployments={deployments} detailOf={(each) => whatIsLost(action, each)} />
        {deleting && (
          <Field id="bulk-delete" label={`Type “${wanted}” to confirm`}>
            {(control) => (
              <Input {...control} autoComplete="off" value={typed} onChange={(event) => setTyped(event.target.value)} />
            )}
          </Field>
        )}
      </DialogBody>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look={deleting ? 'danger' : 'primary'} disabled={!sure}>
          {bulkLabel(action)} {countWords(deployments.length)}
        </Button>
      </DialogActions>
    </form>
  );
}

function Results({ deployments, bulk, onClose }: PartProps) {
  const { state, results, failed } = bulk;
  const done = deployments.filter((each) => results.get(each.id)?.state === 'done').length;
  return (
    <>
      <DialogBody>
        <p role="status" className="numeric">
          {state === 'running'
            ? `${done} of ${deployments.length} done`
            : failed.length === 0
              ? `All ${deployments.length} done.`
              : `${done} of ${deployments.length} done, ${failed.length} failed.`}
        </p>
        <List deployments={deployments} detailOf={(each) => <ResultWords result={results.get(each.id)} />} />
      </DialogBody>
      <DialogActions>
        {state === 'done' && bulk.undo && (
          <Button look="ghost" onClick={() => void bulk.undo?.(deployments)}>
            Undo
          </Button>
        )}
        {state === 'done' && failed.length > 0 && (
          <Button onClick={() => void bulk.run(deployments.filter((each) => failed.includes(each.id)))}>
            Try the failed again
          </Button>
        )}
        <Button look="primary" pending={state === 'running'} onClick={onClose}>
          Close
        </Button>
      </DialogActions>
    </>
  );
}

function ResultWords({ result }: { result: BulkResult | undefined }) {
  if (!result || result.state === 'waiting') return <span className="text-faint">waits</span>;
  if (result.state === 'running') {
    return (
      <StateDot tone="info" moving>
        On its way
      </StateDot>
    );
  }
  if (result.state === 'done') return <StateDot tone="ok">Done</StateDot>;
  return (
    <span className="flex min-w-0 items-baseline gap-2">
      <StateDot tone="bad">Failed</StateDot>
      <span className="text-pretty wrap-anywhere">{result.message}</span>
    </span>
  );
}

function List(props: { deployments: readonly Deployment[]; detailOf: (deployment: Deployment) => React.ReactNode }) {
  const { deployments, detailOf } = props;
  return (
    <section
      aria-label="Deployments"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard
      tabIndex={0}
      className="max-h-72 min-h-0 overflow-y-auto rounded-control border border-line -outline-offset-2"
    >
      <ul>
        {deployments.map((each) => (
          <li
            key={each.id}
            className="grid grid-cols-[minmax(0,1fr)_minmax(0,1.4fr)] gap-3 border-b border-line px-3 py-1.5 [content-visibility:auto] [contain-intrinsic-size:auto_33px] last:border-0"
          >
            <span className="truncate font-medium">{each.name}</span>
            <span className="min-w-0 text-muted">{detailOf(each)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
