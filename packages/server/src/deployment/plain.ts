/** Without keys whose value is undefined: absent and undefined are the same in a row. */
export function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
