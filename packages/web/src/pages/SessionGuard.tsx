import type { Me } from '@berth/core/tenant';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { Navigate, useLocation } from 'react-router';
import { call } from '../api/client.ts';
import { configQuery, meQuery } from '../api/queries/account.ts';
import { ErrorPanel } from '../modules/error-panel.tsx';
import { paths } from '../modules/paths.ts';
import { wasSignedOutByHand } from '../modules/use-sign-out.ts';

/** Draws for who is signed in; in development one is signed in by coming here, otherwise the sign-in page asks. */
export function SessionGuard({ children }: { children: (me: Me) => ReactNode }) {
  const location = useLocation();
  const client = useQueryClient();
  const me = useQuery(meQuery);
  const config = useQuery(configQuery);
  const signIn = useMutation({
    mutationFn: () => call('signInForDevelopment'),
    onSuccess: (answer) => client.setQueryData(meQuery.queryKey, answer),
  });
  const automatic = me.data === null && config.data?.signIn.dev === true && !wasSignedOutByHand();
  const { mutate, isIdle } = signIn;
  useEffect(() => {
    if (automatic && isIdle) mutate();
  }, [automatic, isIdle, mutate]);

  if (me.data) return children(me.data);
  const error = me.error ?? config.error ?? signIn.error;
  if (error) {
    return (
      <main className="mx-auto max-w-[560px] px-4 pt-[18vh]">
        <title>Berth</title>
        <h1 className="mb-4 text-title font-semibold">Berth</h1>
        <ErrorPanel
          what="Who you are"
          error={error}
          retry={() => {
            signIn.reset();
            void me.refetch();
            void config.refetch();
          }}
        />
      </main>
    );
  }
  if (me.data === null && config.data && !automatic) {
    return <Navigate to={paths.signIn(location.pathname + location.search)} replace />;
  }
  return (
    <div role="status" className="sr-only">
      Loading Berth
    </div>
  );
}
