import type { UpOptions } from '../configuration/up-options.ts';
import { type UpHost, up } from './up.ts';

export interface UntilStoppedHost extends UpHost {
  onSignal(signal: NodeJS.Signals, listener: () => void): void;
}

/** One Ctrl-C may arrive twice: from the terminal, and passed on by whoever started us. */
const SAME_WISH_MS = 750;

/**
 * `berth up` as a person sees it: starts, stays, and on Ctrl-C stops in order; on a second Ctrl-C without grace. Resolves to
 * the exit code.
 */
export async function runUntilStopped(options: UpOptions, host: UntilStoppedHost): Promise<number> {
  const cancel = new AbortController();
  const hurry = new AbortController();
  let askedAt = 0;
  const asked = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      host.onSignal(signal, () => {
        if (cancel.signal.aborted) {
          if (performance.now() - askedAt > SAME_WISH_MS) hurry.abort();
          return;
        }
        askedAt = performance.now();
        host.say('Stopping; press Ctrl-C again to stop without waiting.');
        cancel.abort();
        resolve();
      });
    }
  });
  host.say(`Berth ${host.version} on ${options.dataDirectory}`);
  const berth = await up(options, host, { cancel: cancel.signal, hurry: hurry.signal });
  if (berth) {
    host.say('Press Ctrl-C to stop.');
    await asked;
    await berth.stop();
  }
  host.say('Berth has stopped.');
  return 0;
}
