import { useQuery } from '@tanstack/react-query';
import { usageQuery } from '../api/queries/team.ts';
import { useTeam } from '../modules/team-context.ts';
import { UsagePageView } from './UsagePageView.tsx';

export function UsagePage() {
  const { me, team } = useTeam();
  const usage = useQuery(usageQuery(team.id));
  return (
    <UsagePageView
      team={team}
      organization={me.organizations.find((each) => each.id === team.organizationId)}
      usage={usage.data}
      error={usage.error ?? undefined}
      retry={() => void usage.refetch()}
    />
  );
}
