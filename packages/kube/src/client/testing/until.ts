/** Waits for a state of real processes and connections, with an end. */
export async function until(condition: () => boolean | Promise<boolean>, deadlineMs = 10_000): Promise<void> {
  const end = Date.now() + deadlineMs;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error('the state that was waited for did not come');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
