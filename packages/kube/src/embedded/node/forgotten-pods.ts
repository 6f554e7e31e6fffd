import { existsSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, delay } from '../../client/clock.ts';
import { containerId, MARK_VARIABLE } from './process/container-process.ts';
import { readRecord } from './process/container-record.ts';
import { findByEnvironment, isAlive, signalGroup } from './process/process-identity.ts';

/** How long a process without a pod may take to end by itself. */
const GRACE_MS = 3000;
const POLL_MS = 50;

/** Ends and removes what is left of pods that were deleted while no node ran. */
export async function removeForgottenPods(podsDirectory: string, uids: string[], clock: Clock): Promise<void> {
  await Promise.all(
    uids.map(async (uid) => {
      const containers = join(podsDirectory, uid, 'containers');
      const names = existsSync(containers) ? readdirSync(containers) : [];
      await Promise.all(names.map((name) => end(join(containers, name), `${uid}/${name}`, clock)));
      await rm(join(podsDirectory, uid), { recursive: true, force: true });
    }),
  );
}

async function end(directory: string, mark: string, clock: Clock): Promise<void> {
  const record = readRecord(join(directory, 'record.json'));
  if (!record || record.phase === 'exited') return;
  const leaders = (): number[] => {
    if (record.phase === 'starting') return findByEnvironment(MARK_VARIABLE, containerId(mark, record.attempt));
    return record.process && isAlive(record.process) ? [record.process.pid] : [];
  };
  for (const [signal, patienceMs] of [
    ['SIGTERM', GRACE_MS],
    ['SIGKILL', GRACE_MS],
  ] as const) {
    for (const pid of leaders()) signalGroup(pid, signal);
    const until = clock.monotonic() + patienceMs;
    while (leaders().length > 0 && clock.monotonic() < until) await delay(clock, POLL_MS);
  }
}
