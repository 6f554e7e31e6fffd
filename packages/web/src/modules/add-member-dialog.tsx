import { TEAM_ROLES, type TeamRole } from '@berth/core/permissions';
import { emailSchema } from '@berth/core/tenant';
import { type FormEvent, useState } from 'react';
import { isProblem, messageOf } from '../api/problem.ts';
import { Banner } from '../components/banner.tsx';
import { Button } from '../components/button.tsx';
import { Dialog, DialogActions, DialogBody } from '../components/dialog.tsx';
import { Field, Input, Select } from '../components/field.tsx';
import { TEAM_ROLE_WORDS } from './roles.ts';

export function AddMemberDialog(props: {
  open: boolean;
  onClose: () => void;
  onAdd: (email: string, role: TeamRole) => Promise<void>;
}) {
  const { open, onClose, onAdd } = props;
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && onClose()}
      title="Add a member"
      description="The person needs an account on this Berth already."
    >
      <AddMemberForm onClose={onClose} onAdd={onAdd} />
    </Dialog>
  );
}

function AddMemberForm({ onClose, onAdd }: Pick<Parameters<typeof AddMemberDialog>[0], 'onClose' | 'onAdd'>) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<TeamRole>('developer');
  const [emailProblem, setEmailProblem] = useState<string>();
  const [failure, setFailure] = useState<unknown>();
  const [pending, setPending] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const parsed = emailSchema.safeParse(email);
    setEmailProblem(parsed.success ? undefined : 'Write an e-mail such as name@example.com');
    if (!parsed.success) return;
    setPending(true);
    setFailure(undefined);
    try {
      await onAdd(parsed.data, role);
      onClose();
    } catch (error) {
      setFailure(error);
    } finally {
      setPending(false);
    }
  };
  return (
    <form onSubmit={submit} noValidate>
      <DialogBody>
        {failure !== undefined && (
          <Banner tone="bad" title={messageOf(failure)}>
            {isProblem(failure, 'not_found') && 'Whoever runs Berth makes accounts with berth admin create.'}
          </Banner>
        )}
        <Field id="member-email" label="E-mail" error={emailProblem}>
          {(control) => (
            <Input
              {...control}
              type="email"
              autoComplete="off"
              value={email}
              onChange={(event) => setEmail(event.target.value)}
            />
          )}
        </Field>
        <Field id="member-role" label="Role" help={TEAM_ROLE_WORDS[role].may}>
          {(control) => (
            <Select {...control} value={role} onChange={(event) => setRole(event.target.value as TeamRole)}>
              {TEAM_ROLES.map((each) => (
                <option key={each} value={each}>
                  {TEAM_ROLE_WORDS[each].label}
                </option>
              ))}
            </Select>
          )}
        </Field>
      </DialogBody>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" type="submit" pending={pending}>
          Add member
        </Button>
      </DialogActions>
    </form>
  );
}
