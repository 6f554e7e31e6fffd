import type { TeamRole } from '@berth/core/permissions';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { messageOf } from '../api/problem.ts';
import { membersQuery } from '../api/queries/team.ts';
import { useFeedback } from '../components/feedback.tsx';
import { useTeam } from '../modules/team-context.ts';
import { MembersPageView } from './MembersPageView.tsx';

export function MembersPage() {
  const { me, team, may } = useTeam();
  const client = useQueryClient();
  const { toast } = useFeedback();
  const members = useQuery(membersQuery(team.id));
  const refresh = () => client.invalidateQueries({ queryKey: membersQuery(team.id).queryKey });
  const params = (userId: string) => ({ teamId: team.id, userId });
  const change = useMutation({
    mutationFn: ({ userId, role }: { userId: string; role: TeamRole }) =>
      call('updateMember', { params: params(userId), body: { role } }),
    onSettled: refresh,
    onError: (error) => toast({ tone: 'bad', text: `The role was not changed: ${messageOf(error)}` }),
  });
  const remove = useMutation({
    mutationFn: ({ userId }: { userId: string }) => call('removeMember', { params: params(userId) }),
    onSettled: refresh,
    onSuccess: () => toast({ tone: 'ok', text: 'Removed from the team' }),
    onError: (error) => toast({ tone: 'bad', text: `Not removed: ${messageOf(error)}` }),
  });
  return (
    <MembersPageView
      team={team}
      userId={me.user.id}
      mayChange={may('team:members')}
      members={members.data}
      error={members.error ?? undefined}
      retry={() => void members.refetch()}
      pendingId={change.isPending ? change.variables.userId : remove.isPending ? remove.variables.userId : undefined}
      onAdd={async (email, role) => {
        await call('addMember', { params: { teamId: team.id }, body: { email, role } });
        await refresh();
        toast({ tone: 'ok', text: `${email} is in the team` });
      }}
      onRole={(userId, role) => change.mutate({ userId, role })}
      onRemove={(userId) => remove.mutate({ userId })}
    />
  );
}
