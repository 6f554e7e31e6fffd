import { useInfiniteQuery } from '@tanstack/react-query';
import { auditQuery } from '../api/queries/team.ts';
import { useTeam } from '../modules/team-context.ts';
import { useUrlState } from '../modules/use-url-state.ts';
import { AuditPageView } from './AuditPageView.tsx';

export function AuditPage() {
  const { team } = useTeam();
  const audit = useInfiniteQuery(auditQuery(team.id));
  const [query, setQuery] = useUrlState('q');
  const [outcome, setOutcome] = useUrlState('outcome');
  return (
    <AuditPageView
      team={team}
      records={audit.data?.pages.flatMap((page) => page.items)}
      error={audit.error ?? undefined}
      retry={() => void audit.refetch()}
      query={query}
      onQuery={setQuery}
      outcome={outcome}
      onOutcome={setOutcome}
      more={audit.hasNextPage ? () => void audit.fetchNextPage() : undefined}
      loadingMore={audit.isFetchingNextPage}
    />
  );
}
