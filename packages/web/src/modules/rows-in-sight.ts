/** Rows that come and go together. */
const BLOCK = 10;

/** The rows to draw for what is in view, whole blocks of them with one to spare on either side: `from` up to but without `to`. */
export function rowsInSight(input: {
  /** How far the view's top is below the list's. */
  top: number;
  /** How high the view is. */
  view: number;
  /** Of a row. */
  height: number;
  count: number;
}): { from: number; to: number } {
  const { top, view, height, count } = input;
  const first = Math.floor(top / height / BLOCK) - 1;
  const last = Math.floor((top + view) / height / BLOCK) + 2;
  const within = (row: number) => Math.min(count, Math.max(0, row));
  return { from: within(first * BLOCK), to: within(last * BLOCK) };
}
