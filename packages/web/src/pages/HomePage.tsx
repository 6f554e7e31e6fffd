import { Navigate } from 'react-router';
import { paths } from '../modules/paths.ts';
import { rememberedTeam } from '../modules/team-context.ts';
import { SessionGuard } from './SessionGuard.tsx';

/** `/` is the dashboard of the team that was open last. */
export function HomePage() {
  return (
    <SessionGuard>
      {(me) => {
        const team = rememberedTeam(me);
        if (team) return <Navigate to={paths.dashboard(team.id)} replace />;
        return (
          <main className="mx-auto max-w-[440px] px-4 pt-[18vh]">
            <title>No team · Berth</title>
            <h1 className="mb-2 text-title font-semibold">You are in no team</h1>
            <p className="text-muted">
              Everything in Berth belongs to a team. Ask an admin of a team to add {me.user.email}.
            </p>
          </main>
        );
      }}
    </SessionGuard>
  );
}
