/** Waits for a state of real connections, with an end. Returns what was waited for. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false>,
  deadlineMs = 8_000,
): Promise<T> {
  const end = Date.now() + deadlineMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found as T;
    if (Date.now() > end) throw new Error(`did not come: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
