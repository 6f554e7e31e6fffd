import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Navigate, useNavigate, useSearchParams } from 'react-router';
import { call } from '../api/client.ts';
import { configQuery, meQuery } from '../api/queries/account.ts';
import { setSignedOutByHand } from '../modules/use-sign-out.ts';
import { SignInPageView } from './SignInPageView.tsx';

export function SignInPage() {
  const [search] = useSearchParams();
  const next = safeNext(search.get('next'));
  const client = useQueryClient();
  const navigate = useNavigate();
  const config = useQuery(configQuery);
  const me = useQuery(meQuery);
  const onSuccess = async (answer: Awaited<ReturnType<typeof call<'signIn'>>>) => {
    setSignedOutByHand(false);
    client.setQueryData(meQuery.queryKey, answer);
    await navigate(next, { replace: true });
  };
  const signIn = useMutation({
    mutationFn: (body: { email: string; password: string }) => call('signIn', { body }),
    onSuccess,
  });
  const signInForDevelopment = useMutation({ mutationFn: () => call('signInForDevelopment'), onSuccess });
  if (me.data) return <Navigate to={next} replace />;
  return (
    <SignInPageView
      config={config.data}
      configError={config.error}
      error={signIn.error ?? signInForDevelopment.error}
      place={{ host: window.location.host, isSecure: window.isSecureContext }}
      pending={signIn.isPending || signInForDevelopment.isPending}
      onSignIn={(email, password) => signIn.mutate({ email, password })}
      onSignInForDevelopment={() => signInForDevelopment.mutate()}
    />
  );
}

/** Only a path of ours: anything else in the address would be a way to send people elsewhere. */
export function safeNext(next: string | null): string {
  return next?.startsWith('/') && !/^\/[/\\]/.test(next) && !next.startsWith('/sign-in') ? next : '/';
}
