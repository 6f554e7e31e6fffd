import type { CliContext } from './context.ts';

/** Looks at once and then again and again until Ctrl-C, for what has no event stream. */
export async function watchEvery(context: CliContext, milliseconds: number, look: () => Promise<void>): Promise<void> {
  while (!context.signal.aborted) {
    await look();
    await context.wait(milliseconds, context.signal);
    if (!context.signal.aborted) context.output.write('\n');
  }
}
