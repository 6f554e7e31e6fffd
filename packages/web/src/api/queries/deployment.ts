import type { CreateDeployment, UpdateDeployment } from '@berth/core/deployment';
import type { LiveState } from '@berth/core/live';
import { infiniteQueryOptions, keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import { call } from '../client.ts';
import { mergeAnswer } from '../live-state.ts';

/** Everything live of a team. The event stream feeds it; it is fetched only while there is no stream. */
export const liveQuery = (teamId: string) =>
  queryOptions({
    queryKey: ['live', teamId],
    queryFn: async ({ signal }): Promise<LiveState> => {
      const [deployments, activity] = await Promise.all([
        allDeployments(teamId, signal),
        call('listActivity', { query: { team: teamId, limit: 100 }, signal }),
      ]);
      return { deployments, activity: activity.items };
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 10 * 60_000,
  });

export const revisionsQuery = (id: string) =>
  queryOptions({
    queryKey: ['revisions', id],
    queryFn: async ({ signal }) => (await call('listRevisions', { params: { id }, signal })).items,
  });

/** What a revision changed, against the one before it or another. What it says of the past stays so; its outcome may follow. */
export const revisionQuery = (id: string, revision: number, against?: number) =>
  queryOptions({
    queryKey: ['revisions', id, revision, against],
    queryFn: ({ signal }) =>
      call('getRevision', { params: { id, revision: String(revision) }, query: { against }, signal }),
    staleTime: 5 * 60_000,
    placeholderData: keepPreviousData,
  });

/** Everything that is known to have happened to it, page by page. */
export const deploymentActivityQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['activity', id],
    queryFn: ({ pageParam, signal }) =>
      call('listDeploymentActivity', { params: { id }, query: { limit: 100, cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next,
  });

export const removalQuery = (id: string) =>
  queryOptions({
    queryKey: ['removal', id],
    queryFn: async ({ signal }) => (await call('getRemoval', { params: { id }, signal })).items,
    staleTime: 0,
  });

export const previewQuery = (body: CreateDeployment | undefined) =>
  queryOptions({
    queryKey: ['preview', body],
    queryFn: ({ signal }) => call('previewDeployment', { body, signal }),
    enabled: body !== undefined,
    placeholderData: keepPreviousData,
    retry: false,
    // As fresh as what is typed: not worth keeping.
    gcTime: 0,
  });

export const updatePreviewQuery = (id: string, body: UpdateDeployment | undefined) =>
  queryOptions({
    queryKey: ['update-preview', id, body],
    queryFn: ({ signal }) => call('previewUpdate', { params: { id }, body, signal }),
    enabled: body !== undefined,
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 0,
  });

/** Puts the answer of a change where everybody looks. */
export function takeAnswer(client: QueryClient, answer: LiveState['deployments'][number]): void {
  client.setQueryData(liveQuery(answer.teamId).queryKey, (state) => state && mergeAnswer(state, answer));
}

async function allDeployments(teamId: string, signal: AbortSignal): Promise<LiveState['deployments']> {
  const all: LiveState['deployments'] = [];
  let cursor: string | undefined;
  do {
    const page = await call('listDeployments', { query: { team: teamId, limit: 500, cursor }, signal });
    all.push(...page.items);
    cursor = page.next;
  } while (cursor !== undefined);
  return all;
}
