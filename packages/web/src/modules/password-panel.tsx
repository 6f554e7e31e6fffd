import { passwordSchema } from '@berth/core/tenant';
import { type FormEvent, useState } from 'react';
import { sentenceFor } from '../api/form-errors.ts';
import { messageOf } from '../api/problem.ts';
import { Banner } from '../components/banner.tsx';
import { Button } from '../components/button.tsx';
import { Field, Input } from '../components/field.tsx';
import { Panel } from '../components/panel.tsx';

export function PasswordPanel({ onChange }: { onChange: (current: string, next: string) => Promise<void> }) {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [problems, setProblems] = useState<{ current?: string; next?: string }>({});
  const [failure, setFailure] = useState<string>();
  const [pending, setPending] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const parsed = passwordSchema.safeParse(next);
    const found = {
      current: current === '' ? 'Current password is required' : undefined,
      next: parsed.success ? undefined : sentenceFor('New password', parsed.error.issues[0]?.message ?? 'is not right'),
    };
    setProblems(found);
    if (found.current || found.next) return;
    setPending(true);
    setFailure(undefined);
    try {
      await onChange(current, next);
      setCurrent('');
      setNext('');
    } catch (error) {
      setFailure(messageOf(error));
    } finally {
      setPending(false);
    }
  };
  return (
    <Panel title="Password">
      <form onSubmit={submit} noValidate className="flex max-w-[380px] flex-col gap-4 p-3.5">
        {failure && <Banner tone="bad" title={failure} />}
        <Field id="password-current" label="Current password" error={problems.current}>
          {(control) => (
            <Input
              {...control}
              type="password"
              autoComplete="current-password"
              value={current}
              onChange={(event) => setCurrent(event.target.value)}
            />
          )}
        </Field>
        <Field id="password-next" label="New password" error={problems.next} help="Your other logins end.">
          {(control) => (
            <Input
              {...control}
              type="password"
              autoComplete="new-password"
              value={next}
              onChange={(event) => setNext(event.target.value)}
            />
          )}
        </Field>
        <div>
          <Button type="submit" pending={pending}>
            Change password
          </Button>
        </div>
      </form>
    </Panel>
  );
}
