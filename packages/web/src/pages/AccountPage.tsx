import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { messageOf } from '../api/problem.ts';
import { configQuery, tokensQuery } from '../api/queries/account.ts';
import { useFeedback } from '../components/feedback.tsx';
import { useTeam } from '../modules/team-context.ts';
import { AccountPageView } from './AccountPageView.tsx';

export function AccountPage() {
  const { me } = useTeam();
  const client = useQueryClient();
  const { toast } = useFeedback();
  const tokens = useQuery(tokensQuery);
  const config = useQuery(configQuery);
  const refresh = () => client.invalidateQueries({ queryKey: tokensQuery.queryKey });
  const revoke = useMutation({
    mutationFn: (id: string) => call('deleteToken', { params: { id } }),
    onSettled: refresh,
    onSuccess: () => toast({ tone: 'ok', text: 'The token is revoked' }),
    onError: (error) => toast({ tone: 'bad', text: `The token still works: ${messageOf(error)}` }),
  });
  return (
    <AccountPageView
      user={me.user}
      tokens={tokens.data}
      error={tokens.error ?? undefined}
      retry={() => void tokens.refetch()}
      revokingId={revoke.isPending ? revoke.variables : undefined}
      hasPassword={config.data?.signIn.password === true}
      onRevoke={(id) => revoke.mutate(id)}
      onMake={async (name, expiresInDays) => {
        const made = await call('createToken', { body: { name, expiresInDays } });
        await refresh();
        return made.token;
      }}
      onChangePassword={async (current, next) => {
        await call('changePassword', { body: { current, next } });
        toast({ tone: 'ok', text: 'The password is changed; your other logins have ended' });
      }}
    />
  );
}
