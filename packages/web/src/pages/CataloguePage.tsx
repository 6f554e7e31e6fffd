import { useQuery } from '@tanstack/react-query';
import { templatesQuery } from '../api/queries/template.ts';
import { useTeam } from '../modules/team-context.ts';
import { useUrlState } from '../modules/use-url-state.ts';
import { CataloguePageView } from './CataloguePageView.tsx';

export function CataloguePage() {
  const { team, may } = useTeam();
  const templates = useQuery(templatesQuery(team.id));
  const [category] = useUrlState('category');
  const [query, setQuery] = useUrlState('q');
  return (
    <CataloguePageView
      team={team}
      mayWrite={may('template:write')}
      templates={templates.data}
      error={templates.error ?? undefined}
      retry={() => void templates.refetch()}
      category={category}
      query={query}
      onQuery={setQuery}
    />
  );
}
