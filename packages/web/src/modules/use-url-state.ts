import { useCallback } from 'react';
import { useSearchParams } from 'react-router';

/** State that lives in the address: a filter, a tab, a service. Setting it replaces the entry, so that Back leaves the page. */
export function useUrlState(key: string, fallback = ''): [string, (value: string) => void] {
  const [search, setSearch] = useSearchParams();
  const set = useCallback(
    (value: string) => {
      setSearch(
        (before) => {
          const next = new URLSearchParams(before);
          if (value === fallback) next.delete(key);
          else next.set(key, value);
          return next;
        },
        { replace: true, preventScrollReset: true, flushSync: true },
      );
    },
    [setSearch, key, fallback],
  );
  return [search.get(key) ?? fallback, set];
}
