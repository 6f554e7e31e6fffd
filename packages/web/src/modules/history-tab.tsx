import type { Deployment } from '@berth/core/deployment';
import { useQuery } from '@tanstack/react-query';
import { revisionsQuery } from '../api/queries/deployment.ts';
import { Panel, Tag } from '../components/panel.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { SkeletonRows } from '../components/skeleton.tsx';
import { ErrorPanel } from './error-panel.tsx';

export function HistoryTab({ deployment }: { deployment: Deployment }) {
  const revisions = useQuery(revisionsQuery(deployment.id));
  if (revisions.error && !revisions.data) {
    return <ErrorPanel what="The history" error={revisions.error} retry={() => void revisions.refetch()} />;
  }
  return (
    <Panel>
      {!revisions.data && <SkeletonRows rows={4} label="Loading the history" />}
      {revisions.data && (
        <table className="data-table">
          <caption className="sr-only">Revisions of {deployment.name}, newest first</caption>
          <thead>
            <tr>
              <th scope="col">Revision</th>
              <th scope="col">What changed</th>
              <th scope="col">By</th>
              <th scope="col" data-align="right">
                When
              </th>
            </tr>
          </thead>
          <tbody>
            {revisions.data.map((each) => (
              <tr key={each.revision}>
                <td data-narrow="state" className="numeric wide:w-36 font-medium">
                  {each.revision} {each.revision === deployment.revision && <Tag className="ml-1">now</Tag>}
                </td>
                <td data-narrow="title">{each.summary}</td>
                <td data-narrow="detail" className="truncate text-muted">
                  {each.by}
                </td>
                <td data-narrow="end" data-align="right" className="text-muted">
                  <RelativeTime at={each.createdAt} ago />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}
