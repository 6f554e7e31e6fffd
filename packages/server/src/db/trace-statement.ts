/** Placeholder until traces are there. */
export function traceStatement<T>(_text: string, run: () => Promise<T>): Promise<T> {
  return run();
}
