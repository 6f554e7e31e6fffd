import { queryOptions } from '@tanstack/react-query';
import { call } from '../client.ts';

export const templatesQuery = queryOptions({
  queryKey: ['templates'],
  queryFn: async ({ signal }) => (await call('listTemplates', { signal })).items,
  staleTime: 5 * 60_000,
});

export const templateQuery = (name: string, version?: string) =>
  queryOptions({
    queryKey: ['template', name, version],
    queryFn: ({ signal }) => call('getTemplate', { params: { name }, query: { version }, signal }),
    staleTime: 5 * 60_000,
  });
