import type { UpdateDeployment } from '@berth/core/deployment';
import { useQuery } from '@tanstack/react-query';
import { updatePreviewQuery } from '../api/queries/deployment.ts';
import { useSettled } from '../components/use-settled.ts';

const PREVIEW_AFTER_MILLISECONDS = 350;

/** What a change would do, asked when the typing pauses. `undefined` asks nothing. */
export function useUpdatePreview(id: string, body: UpdateDeployment | undefined) {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const settled = useSettled(text, PREVIEW_AFTER_MILLISECONDS);
  const asked = settled === undefined ? undefined : (JSON.parse(settled) as UpdateDeployment);
  const query = useQuery(updatePreviewQuery(id, text === undefined ? undefined : asked));
  const stale = settled !== text || query.isFetching;
  return {
    preview: text === undefined ? undefined : query.data,
    stale,
    problem: text !== undefined && !stale ? (query.error ?? undefined) : undefined,
  };
}
