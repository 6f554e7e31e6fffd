import { rmSync, writeFileSync } from 'node:fs';
import { ownIdentity } from './process-identity.ts';

/**
 * What a process of `berth up` and its supervisor tell each other over the IPC channel.
 *
 *   child: hello  ->  supervisor: go  ->  child: ready | failed
 *
 * A child does nothing before `go`. It writes its pid and start time to its record first: so when a supervisor is
 * killed at any instant, each child either stands in a record that the next supervisor reads, or waits for a `go` that never comes and
 * ends. Two clusters can never run on one data directory. A channel that closes means that the supervisor is gone.
 */
export type ChildMessage =
  | { type: 'hello' }
  | { type: 'ready' }
  /** A failure that another start would only repeat: the sentence is for the person who started Berth. */
  | { type: 'failed'; sentence: string }
  /** Worth a line on the supervisor's console. */
  | { type: 'say'; sentence: string };
export type SupervisorMessage = { type: 'go' };

export interface SupervisorChannel {
  /** Resolves when the work may begin; at once without a supervisor, never when it was lost before. */
  begin: Promise<void>;
  ready(): void;
  failed(sentence: string): Promise<void>;
  say(sentence: string): void;
  /** Last act before the process ends. */
  close(): void;
}

/** The process itself when it has an IPC channel; absent without a supervisor. */
export type Parent = Pick<NodeJS.Process, 'send' | 'connected' | 'once'>;

export function openSupervisorChannel(options: {
  recordFile: string | undefined;
  parent: Parent | undefined;
  onLost: () => void;
}): SupervisorChannel {
  const { recordFile, parent, onLost } = options;
  if (recordFile !== undefined) writeFileSync(recordFile, JSON.stringify(ownIdentity()), { mode: 0o600 });

  /** A message that no longer arrives needs no answer: the closed channel is news of its own. */
  function send(message: ChildMessage): Promise<void> {
    return new Promise((resolve) => {
      if (!parent?.connected || !parent.send) resolve();
      else parent.send(message, undefined, undefined, () => resolve());
    });
  }

  const begin = new Promise<void>((resolve) => {
    if (!parent) return resolve();
    parent.once('disconnect', onLost);
    parent.once('message', () => resolve());
    void send({ type: 'hello' });
  });
  return {
    begin,
    ready: () => void send({ type: 'ready' }),
    failed: (sentence) => send({ type: 'failed', sentence }),
    say: (sentence) => (parent ? void send({ type: 'say', sentence }) : console.log(sentence)),
    close() {
      if (recordFile !== undefined) rmSync(recordFile, { force: true });
    },
  };
}
