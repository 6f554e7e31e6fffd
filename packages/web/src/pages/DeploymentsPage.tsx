import { useDeferredValue, useMemo } from 'react';
import { countByState, type DeploymentFilter, filterDeployments, templatesOf } from '../modules/deployment-filter.ts';
import { useLive } from '../modules/live-provider.tsx';
import { useTeam } from '../modules/team-context.ts';
import { useUrlState } from '../modules/use-url-state.ts';
import { DeploymentsPageView } from './DeploymentsPageView.tsx';

export function DeploymentsPage() {
  const { team, may } = useTeam();
  const live = useLive(team.id);
  const [query, setQuery] = useUrlState('q');
  const [state] = useUrlState('state');
  const [template, setTemplate] = useUrlState('template');
  const [sort, setSort] = useUrlState('sort');
  const deployments = useDeferredValue(live.deployments);
  const filter = useMemo<DeploymentFilter>(() => ({ query, state, template, sort }), [query, state, template, sort]);
  const shown = useMemo(() => filterDeployments(deployments, filter), [deployments, filter]);
  const counts = useMemo(() => countByState(deployments), [deployments]);
  const templates = useMemo(() => templatesOf(deployments), [deployments]);
  return (
    <DeploymentsPageView
      team={team}
      mayDeploy={may('deployment:create')}
      live={live}
      shown={shown}
      counts={counts}
      templates={templates}
      filter={filter}
      onQuery={setQuery}
      onTemplate={setTemplate}
      onSort={setSort}
    />
  );
}
