import { QueryClient } from '@tanstack/react-query';
import { isProblem } from './problem.ts';

/** What comes live needs no refetch; the rest is fresh for half a minute. A refusal is never asked again. */
export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        retry: (failures, error) => failures < 2 && (!isProblem(error) || error.problem.status >= 500),
        retryDelay: (attempt) => 400 * 2 ** attempt,
      },
    },
  });
}
