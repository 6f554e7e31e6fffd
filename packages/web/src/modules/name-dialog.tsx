import { displayNameSchema } from '@berth/core/tenant';
import { type FormEvent, useState } from 'react';
import { sentenceFor } from '../api/form-errors.ts';
import { messageOf } from '../api/problem.ts';
import { Banner } from '../components/banner.tsx';
import { Button } from '../components/button.tsx';
import { Dialog, DialogActions, DialogBody } from '../components/dialog.tsx';
import { Field, Input } from '../components/field.tsx';

/** A dialog that asks for one name. `onSubmit` throws what went wrong. */
export function NameDialog(props: {
  open: boolean;
  onClose: () => void;
  title: string;
  description: string;
  label: string;
  action: string;
  onSubmit: (name: string) => Promise<void>;
}) {
  const { open, onClose, title, description, label, action, onSubmit } = props;
  return (
    <Dialog open={open} onOpenChange={(next) => !next && onClose()} title={title} description={description}>
      <NameForm label={label} action={action} onSubmit={onSubmit} onClose={onClose} />
    </Dialog>
  );
}

function NameForm(props: Pick<Parameters<typeof NameDialog>[0], 'label' | 'action' | 'onSubmit' | 'onClose'>) {
  const { label, action, onSubmit, onClose } = props;
  const [name, setName] = useState('');
  const [problem, setProblem] = useState<string>();
  const [failure, setFailure] = useState<string>();
  const [pending, setPending] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const parsed = displayNameSchema.safeParse(name);
    setProblem(parsed.success ? undefined : sentenceFor(label, parsed.error.issues[0]?.message ?? 'is not right'));
    if (!parsed.success || pending) return;
    setPending(true);
    setFailure(undefined);
    try {
      await onSubmit(parsed.data);
      onClose();
    } catch (error) {
      setFailure(messageOf(error));
    } finally {
      setPending(false);
    }
  };
  return (
    <form onSubmit={submit} noValidate>
      <DialogBody>
        {failure && <Banner tone="bad" title={failure} />}
        <Field id="new-name" label={label} error={problem}>
          {(control) => (
            <Input {...control} autoComplete="off" value={name} onChange={(event) => setName(event.target.value)} />
          )}
        </Field>
      </DialogBody>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" type="submit" pending={pending}>
          {action}
        </Button>
      </DialogActions>
    </form>
  );
}
