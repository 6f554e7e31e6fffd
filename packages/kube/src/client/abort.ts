/** What the promise gives, or undefined once the signal aborts. Leaves nothing behind on either, however often it is used. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const ending = new AbortController();
  const aborted = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { signal: ending.signal });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    ending.abort();
  }
}
