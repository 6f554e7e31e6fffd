import type { Me } from '@berth/core/tenant';
import { useEffect, useMemo } from 'react';
import { useParams } from 'react-router';
import { LiveProvider } from '../modules/live-provider.tsx';
import { Shell } from '../modules/shell.tsx';
import { rememberTeam, TeamReact } from '../modules/team-context.ts';
import { NotFoundPage } from './NotFoundPage.tsx';
import { SessionGuard } from './SessionGuard.tsx';

/** Everything of one team: who is signed in, which team, its live state, and the frame around the page. */
export function TeamLayout() {
  const { teamId = '' } = useParams();
  return <SessionGuard>{(me) => <OneTeam me={me} teamId={teamId} />}</SessionGuard>;
}

function OneTeam({ me, teamId }: { me: Me; teamId: string }) {
  const team = me.teams.find((each) => each.id === teamId);
  const context = useMemo(() => team && { me, team }, [me, team]);
  useEffect(() => {
    if (team) rememberTeam(team.id);
  }, [team]);
  if (!context) return <NotFoundPage />;
  return (
    <TeamReact value={context}>
      <LiveProvider key={teamId} userId={me.user.id} teamId={teamId}>
        <Shell />
      </LiveProvider>
    </TeamReact>
  );
}
