import type { Deployment } from '@berth/core/deployment';
import { Pencil } from 'lucide-react';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { call } from '../api/client.ts';
import { messageOf } from '../api/problem.ts';
import { Button, IconButton } from '../components/button.tsx';
import { useFeedback } from '../components/feedback.tsx';
import { Input } from '../components/field.tsx';
import { mayChange } from './deployment-actions.ts';
import { useChange } from './use-deployment-actions.ts';

const MAX_LENGTH = 100;

/** The display name beside the name, changed where it stands: Enter saves, Escape leaves it. */
export function RenameField({ deployment }: { deployment: Deployment }) {
  const { displayName = '', name } = deployment;
  const [editing, setEditing] = useState(false);
  const shown = displayName === name ? '' : displayName;
  if (editing) return <RenameForm deployment={deployment} before={shown} onDone={() => setEditing(false)} />;
  if (!mayChange(deployment)) return shown === '' ? undefined : <span className="text-muted">{shown}</span>;
  return (
    <span className="group/name flex min-w-0 items-center gap-0.5">
      {shown !== '' && <span className="truncate text-muted">{shown}</span>}
      <IconButton
        label={shown === '' ? 'Give it a display name' : 'Rename'}
        icon={<Pencil aria-hidden className="size-3.5" />}
        className="h-6! w-6! text-faint"
        onClick={() => setEditing(true)}
      />
    </span>
  );
}

function RenameForm({ deployment, before, onDone }: { deployment: Deployment; before: string; onDone: () => void }) {
  const [text, setText] = useState(before);
  const [pending, setPending] = useState(false);
  const change = useChange();
  const { toast } = useFeedback();
  const box = useRef<HTMLFormElement>(null);
  useEffect(() => box.current?.querySelector('input')?.select(), []);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const displayName = text.trim();
    if (displayName === before) return onDone();
    setPending(true);
    const { id, name, revision } = deployment;
    const work = () => call('updateDeployment', { params: { id }, body: { displayName }, ifMatch: revision });
    try {
      await change({ id, doing: 'Renaming', work });
      onDone();
    } catch (error) {
      setPending(false);
      toast({ tone: 'bad', text: `Could not rename ${name}: ${messageOf(error)}` });
    }
  };
  return (
    <form ref={box} onSubmit={save} className="flex items-center gap-1.5">
      <Input
        aria-label="Display name"
        className="w-56!"
        maxLength={MAX_LENGTH}
        autoComplete="off"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && onDone()}
      />
      <Button type="submit" look="primary" pending={pending}>
        Save
      </Button>
      <Button look="ghost" onClick={onDone}>
        Cancel
      </Button>
    </form>
  );
}
