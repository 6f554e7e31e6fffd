import { MAX_NAME_LENGTH, slug } from '@berth/core/names';

/** `wanted` as a valid name, or with the first number behind it that is not taken. */
export function freeName(wanted: string, taken: ReadonlySet<string>): string {
  const name = slug(wanted);
  if (!taken.has(name)) return name;
  for (let number = 2; ; number++) {
    const suffix = `-${number}`;
    const candidate = name.slice(0, MAX_NAME_LENGTH - suffix.length).replace(/-+$/, '') + suffix;
    if (!taken.has(candidate)) return candidate;
  }
}
