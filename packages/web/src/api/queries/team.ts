import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { call } from '../client.ts';

export const usageQuery = (teamId: string) =>
  queryOptions({
    queryKey: ['usage', teamId],
    queryFn: ({ signal }) => call('getUsage', { params: { teamId }, signal }),
  });

export const membersQuery = (teamId: string) =>
  queryOptions({
    queryKey: ['members', teamId],
    queryFn: async ({ signal }) => (await call('listMembers', { params: { teamId }, signal })).items,
  });

export const auditQuery = (teamId: string) =>
  infiniteQueryOptions({
    queryKey: ['audit', teamId],
    queryFn: ({ pageParam, signal }) =>
      call('listAudit', { query: { team: teamId, limit: 100, cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next,
  });
