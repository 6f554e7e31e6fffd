import { displayNameSchema } from '@berth/core/tenant';
import { type FormEvent, useState } from 'react';
import { sentenceFor } from '../api/form-errors.ts';
import { messageOf } from '../api/problem.ts';
import { Banner } from '../components/banner.tsx';
import { Button } from '../components/button.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { Dialog, DialogActions, DialogBody } from '../components/dialog.tsx';
import { Field, Input, Select } from '../components/field.tsx';

const LIFETIMES: readonly { days: number | undefined; label: string }[] = [
  { days: 30, label: '30 days' },
  { days: 90, label: '90 days' },
  { days: 365, label: '1 year' },
  { days: undefined, label: 'No end' },
];

export interface NewTokenDialogProps {
  open: boolean;
  onClose: () => void;
  onMake: (name: string, expiresInDays: number | undefined) => Promise<string>;
}

/** Asks for a name, then shows the token: this once, and never again. */
export function NewTokenDialog({ open, onClose, onMake }: NewTokenDialogProps) {
  const [token, setToken] = useState<string>();
  const close = () => {
    setToken(undefined);
    onClose();
  };
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && close()}
      title={token ? 'Copy the token now' : 'New API token'}
      description={
        token
          ? 'It is not shown again. Whoever has it can do what you can do.'
          : 'For the berth command or a program that acts as you.'
      }
    >
      {token ? (
        <ShownOnce token={token} onClose={close} />
      ) : (
        <TokenForm onClose={close} onMake={onMake} onMade={setToken} />
      )}
    </Dialog>
  );
}

function ShownOnce({ token, onClose }: { token: string; onClose: () => void }) {
  return (
    <>
      <DialogBody>
        <div className="flex items-center gap-1 rounded-control border border-line bg-sunken py-1 pr-1 pl-2.5">
          <input
            readOnly
            aria-label="The token"
            value={token}
            onFocus={(event) => event.currentTarget.select()}
            className="mono min-w-0 flex-1 bg-transparent"
          />
          <CopyButton text={token} label="Copy the token" />
        </div>
      </DialogBody>
      <DialogActions>
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </>
  );
}

function TokenForm(props: {
  onClose: () => void;
  onMake: NewTokenDialogProps['onMake'];
  onMade: (token: string) => void;
}) {
  const { onClose, onMake, onMade } = props;
  const [name, setName] = useState('');
  const [days, setDays] = useState('90');
  const [problem, setProblem] = useState<string>();
  const [failure, setFailure] = useState<string>();
  const [pending, setPending] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const parsed = displayNameSchema.safeParse(name);
    setProblem(parsed.success ? undefined : sentenceFor('Name', parsed.error.issues[0]?.message ?? 'is not right'));
    if (!parsed.success) return;
    setPending(true);
    setFailure(undefined);
    try {
      onMade(await onMake(parsed.data, days === '' ? undefined : Number(days)));
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
        <Field id="token-name" label="Name" error={problem} help="What will use it, such as laptop or nightly build.">
          {(control) => (
            <Input {...control} autoComplete="off" value={name} onChange={(event) => setName(event.target.value)} />
          )}
        </Field>
        <Field id="token-days" label="Works for">
          {(control) => (
            <Select {...control} value={days} onChange={(event) => setDays(event.target.value)}>
              {LIFETIMES.map((each) => (
                <option key={each.label} value={each.days ?? ''}>
                  {each.label}
                </option>
              ))}
            </Select>
          )}
        </Field>
      </DialogBody>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" type="submit" pending={pending}>
          Make token
        </Button>
      </DialogActions>
    </form>
  );
}
