import { MAX_NAME_LENGTH } from '@berth/core/names';

const TRIED = 200;

/** The first of `shop-2`, `shop-3`, ... that is free. */
export function freeSuggestion(taken: string, isTaken: ReadonlySet<string>): string | undefined {
  const base = taken.replace(/-\d+$/, '');
  for (let number = 2; number <= TRIED; number++) {
    const suffix = `-${number}`;
    const candidate = base.slice(0, MAX_NAME_LENGTH - suffix.length).replace(/-+$/, '') + suffix;
    if (!isTaken.has(candidate)) return candidate;
  }
  return undefined;
}
