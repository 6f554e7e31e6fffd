import { useQuery } from '@tanstack/react-query';
import { usageQuery } from '../api/queries/team.ts';
import { templatesQuery } from '../api/queries/template.ts';
import type { LiveStatus } from '../api/topic-lines.ts';
import { useNow } from '../components/use-now.ts';
import { useLive, useLiveStatus } from '../modules/live-provider.tsx';
import { needsYou } from '../modules/needs-you.ts';
import { useTeam } from '../modules/team-context.ts';
import { DashboardPageView } from './DashboardPageView.tsx';

export function DashboardPage() {
  const { team, may } = useTeam();
  const live = useLive(team.id);
  const status = useLiveStatus();
  const usage = useQuery(usageQuery(team.id));
  const templates = useQuery({ ...templatesQuery(team.id), enabled: live.loaded && live.deployments.length === 0 });
  const now = useNow();
  return (
    <DashboardPageView
      team={team}
      mayDeploy={may('deployment:create')}
      live={live}
      liveWord={liveWord(status)}
      usage={usage.data}
      needs={needsYou({ teamId: team.id, deployments: live.deployments, usage: usage.data, now })}
      templates={templates.data}
    />
  );
}

function liveWord(status: LiveStatus): string {
  if (status.state === 'connected') return 'live';
  return status.lastDataAt === undefined ? 'connecting' : 'reconnecting';
}
