import { queryOptions } from '@tanstack/react-query';
import { call } from '../client.ts';
import { isProblem } from '../problem.ts';

export const configQuery = queryOptions({
  queryKey: ['config'],
  queryFn: ({ signal }) => call('getConfig', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

/** `null` is a visitor: the one place where TanStack Query wants a value for "nothing". */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal }) => {
    try {
      return await call('getMe', { signal });
    } catch (error) {
      if (isProblem(error, 'unauthenticated')) return null;
      throw error;
    }
  },
  staleTime: 5 * 60_000,
});

export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: async ({ signal }) => (await call('listTokens', { signal })).items,
});
