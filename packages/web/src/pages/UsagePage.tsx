import { PLANS, type PlanName } from '@berth/core/plans';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { messageOf } from '../api/problem.ts';
import { meQuery } from '../api/queries/account.ts';
import { usageQuery } from '../api/queries/team.ts';
import { useFeedback } from '../components/feedback.tsx';
import { useTeam } from '../modules/team-context.ts';
import { UsagePageView } from './UsagePageView.tsx';

export function UsagePage() {
  const { me, team } = useTeam();
  const client = useQueryClient();
  const { toast } = useFeedback();
  const usage = useQuery(usageQuery(team.id));
  const change = useMutation({
    mutationFn: (plan: PlanName) =>
      call('updatePlan', { params: { organizationId: team.organizationId }, body: { plan } }),
    // Every team of the organization has other limits now.
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: meQuery.queryKey }),
        client.invalidateQueries({ queryKey: ['usage'] }),
      ]),
    onSuccess: ({ name, plan }) => toast({ tone: 'ok', text: `${name} has the plan ${PLANS[plan].displayName} now` }),
    onError: (error) => toast({ tone: 'bad', text: `The plan was not changed: ${messageOf(error)}` }),
  });
  return (
    <UsagePageView
      team={team}
      organization={me.organizations.find((each) => each.id === team.organizationId)}
      usage={usage.data}
      error={usage.error ?? undefined}
      retry={() => void usage.refetch()}
      onPlan={me.user.platformAdmin ? (plan) => change.mutateAsync(plan).catch(() => undefined) : undefined}
      planPending={change.isPending}
    />
  );
}
