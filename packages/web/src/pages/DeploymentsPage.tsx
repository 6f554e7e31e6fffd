import { useDeferredValue, useMemo } from 'react';
import { countByState, filterDeployments } from '../modules/deployment-filter.ts';
import { useLive } from '../modules/live-provider.tsx';
import { useTeam } from '../modules/team-context.ts';
import { useUrlState } from '../modules/use-url-state.ts';
import { DeploymentsPageView } from './DeploymentsPageView.tsx';

export function DeploymentsPage() {
  const { team, may } = useTeam();
  const live = useLive(team.id);
  const [query, setQuery] = useUrlState('q');
  const [state] = useUrlState('state');
  const deployments = useDeferredValue(live.deployments);
  const shown = useMemo(() => filterDeployments(deployments, query, state), [deployments, query, state]);
  const counts = useMemo(() => countByState(deployments), [deployments]);
  return (
    <DeploymentsPageView
      team={team}
      mayDeploy={may('deployment:create')}
      live={live}
      shown={shown}
      counts={counts}
      query={query}
      state={state}
      onQuery={setQuery}
    />
  );
}
