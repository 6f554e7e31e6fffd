import { useContext } from 'react';
import { ButtonLink } from '../components/button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { TeamReact } from '../modules/team-context.ts';

/** For an address that leads nowhere, or to what one may not see: the two are not told apart. */
export function NotFoundPage({ what = 'page' }: { what?: string }) {
  // Inside a team the frame already has the main landmark.
  const inside = useContext(TeamReact) !== undefined;
  const content = (
    <>
      <PageHeader title="Not found" className="sr-only" />
      <EmptyState
        title={`There is no such ${what}, or you may not see it`}
        action={
          <ButtonLink to="/" look="primary">
            Go to the dashboard
          </ButtonLink>
        }
      >
        It may have been deleted, renamed, or belong to a team you are not in.
      </EmptyState>
    </>
  );
  return inside ? content : <main className="pt-[14vh]">{content}</main>;
}
