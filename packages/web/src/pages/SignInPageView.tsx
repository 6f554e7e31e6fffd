import type { RouteOutput } from '@berth/core/api';
import { emailSchema } from '@berth/core/tenant';
import { Eye, EyeOff } from 'lucide-react';
import { type FormEvent, useRef, useState } from 'react';
import { messageOf } from '../api/problem.ts';
import { Banner } from '../components/banner.tsx';
import { Button, IconButton } from '../components/button.tsx';
import { Field, Input } from '../components/field.tsx';
import { Skeleton } from '../components/skeleton.tsx';

export interface SignInPageViewProps {
  config: RouteOutput<'getConfig'> | undefined;
  configError: unknown;
  error: unknown;
  pending: boolean;
  /** Where this page is: people sign in to several. */
  place: { host: string; isSecure: boolean };
  onSignIn: (email: string, password: string) => void;
  onSignInForDevelopment: () => void;
}

export function SignInPageView(props: SignInPageViewProps) {
  const { config, configError, error, pending, place, onSignIn, onSignInForDevelopment } = props;
  return (
    <main className="mx-auto flex min-h-dvh max-w-[340px] flex-col justify-center gap-5 px-4 pb-[12vh]">
      <title>Sign in · Berth</title>
      <div className="flex items-center gap-2.5">
        <img src="/favicon.svg" alt="" className="size-7" />
        <div className="min-w-0">
          <h1 className="text-title font-semibold tracking-[-0.01em]">Sign in to Berth</h1>
          <p className="mono truncate text-hint text-muted">{place.host}</p>
        </div>
      </div>
      {!place.isSecure && (
        <Banner tone="warn" title="This connection is not encrypted">
          Whoever is on the way can read your password. Ask whoever runs Berth for its https address.
        </Banner>
      )}
      {configError !== null && configError !== undefined && <Banner tone="bad" title={messageOf(configError)} />}
      {error !== null && error !== undefined && <Banner tone="bad" title={messageOf(error)} />}
      {!config && !configError && <Skeleton className="h-40 w-full" />}
      {config?.signIn.password && <PasswordForm pending={pending} onSignIn={onSignIn} />}
      {config?.signIn.dev && (
        <Button
          look={config.signIn.password ? 'secondary' : 'primary'}
          pending={pending}
          onClick={onSignInForDevelopment}
          className="h-9!"
        >
          Sign in as dev@localhost
        </Button>
      )}
      {config && !config.signIn.password && !config.signIn.dev && (
        <Banner tone="warn" title="Nobody can sign in yet">
          Whoever runs Berth makes the first account: <code>berth admin create</code>
        </Banner>
      )}
      {config?.signIn.password && (
        <p className="text-hint text-muted">No account yet, or no password any more? Ask whoever runs this Berth.</p>
      )}
    </main>
  );
}

function PasswordForm({ pending, onSignIn }: Pick<SignInPageViewProps, 'pending' | 'onSignIn'>) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [shown, setShown] = useState(false);
  const [problems, setProblems] = useState<{ email?: string; password?: string }>({});
  const form = useRef<HTMLFormElement>(null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = {
      email: emailSchema.safeParse(email).success ? undefined : 'Write your e-mail as name@example.com',
      password: password === '' ? 'Password is required' : undefined,
    };
    setProblems(found);
    const first = found.email ? 'email' : found.password ? 'password' : undefined;
    if (first) form.current?.querySelector<HTMLInputElement>(`#${first}`)?.focus();
    else onSignIn(email, password);
  };
  return (
    <form ref={form} onSubmit={submit} noValidate className="flex flex-col gap-4">
      <Field id="email" label="E-mail" error={problems.email}>
        {(control) => (
          <Input
            {...control}
            type="email"
            autoComplete="username"
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        )}
      </Field>
      <Field id="password" label="Password" error={problems.password}>
        {(control) => (
          <div className="relative">
            <Input
              {...control}
              type={shown ? 'text' : 'password'}
              autoComplete="current-password"
              value={password}
              onChange={(event) => setPassword(event.target.value)}
              className="pr-9!"
            />
            <IconButton
              label={shown ? 'Hide the password' : 'Show the password'}
              className="absolute! top-px right-px"
              icon={shown ? <EyeOff aria-hidden className="size-4" /> : <Eye aria-hidden className="size-4" />}
              onClick={() => setShown(!shown)}
            />
          </div>
        )}
      </Field>
      <Button look="primary" type="submit" pending={pending} className="h-9!">
        Sign in
      </Button>
    </form>
  );
}
