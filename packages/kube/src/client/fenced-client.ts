import { KubeError } from '../schema/status.ts';
import type { KubeClient } from './client.ts';

/**
 * A client for who may write only for as long as it leads. Reads pass.
 *
 * A signal alone is not enough. A process that was frozen and goes on handles the answers that came meanwhile before its timers, so
 * what waited for one of them would write on; hence each write looks at the clock at the moment when it is sent. What was sent before
 * that moment may still arrive late: see the window that `leader-election.ts` describes.
 */
export interface Fence {
  /** By the clock, now. */
  isOpen(): boolean;
}

const WRITES = ['create', 'replace', 'patch', 'apply', 'delete'] as const;

export function fencedClient(client: KubeClient, fence: Fence): KubeClient {
  const fenced = { ...client };
  const permit = () => {
    // A Conflict: whoever reconciles looks again, and finds itself stopped.
    if (!fence.isOpen()) throw new KubeError(409, 'Conflict', 'leadership has ended: nothing is written any more');
  };
  for (const verb of WRITES) {
    const write = client[verb] as (...parameters: unknown[]) => Promise<unknown>;
    // Options are the last parameter of each verb, and may be left out.
    const length = verb === 'patch' ? 4 : 3;
    const written = async (...parameters: unknown[]) => {
      permit();
      const options = parameters[length - 1] as object | undefined;
      return write(...parameters.slice(0, length - 1), { ...options, permit });
    };
    Object.assign(fenced, { [verb]: written });
  }
  return fenced;
}
