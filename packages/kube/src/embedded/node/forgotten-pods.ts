import { existsSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, delay } from '../../client/clock.ts';
import { COMMAND_VARIABLE } from './exec/start-command.ts';
import { containerId, MARK_VARIABLE } from './process/container-process.ts';
import { readRecord } from './process/container-record.ts';
import {
  findByEnvironment,
  findWithVariables,
  isAlive,
  signalGroup,
  signalGroupOf,
  signalProcess,
} from './process/process-identity.ts';

/** How long a process without a pod may take to end by itself. */
const GRACE_MS = 3000;
const POLL_MS = 50;
const ROOT_VARIABLE = 'CLUSTER_ROOT';

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

/**
 * Ends this node's processes that nobody would look after: those that no record tells of, because somebody removed or broke it, and
 * commands that were begun in running containers, since whoever read them went with the node before. They are known by what they
 * were started with.
 */
export async function endUnrecorded(podsDirectory: string, clock: Clock): Promise<void> {
  const strays = (): number[] =>
    findWithVariables([MARK_VARIABLE, ROOT_VARIABLE], [COMMAND_VARIABLE])
      .filter(({ environment }) => environment[ROOT_VARIABLE]?.startsWith(`${podsDirectory}/`))
      .filter(
        ({ environment }) =>
          COMMAND_VARIABLE in environment || !isRecorded(podsDirectory, environment[MARK_VARIABLE] ?? ''),
      )
      .map(({ pid }) => pid);
  await endAll(strays, clock);
}

function isRecorded(podsDirectory: string, mark: string): boolean {
  const [uid = '', name = '', attempt] = mark.split('/');
  const record = readRecord(join(podsDirectory, uid, 'containers', name, 'record.json'));
  return record !== undefined && record.phase !== 'exited' && String(record.attempt) === attempt;
}

async function end(directory: string, mark: string, clock: Clock): Promise<void> {
  const record = readRecord(join(directory, 'record.json'));
  if (!record || record.phase === 'exited') return;
  const { process } = record;
  if (process) {
    await endAll(() => (isAlive(process) ? [process.pid] : []), clock);
    // Its leader may have ended without the rest.
    signalGroupOf(process, 'SIGKILL');
  } else {
    await endAll(() => findByEnvironment(MARK_VARIABLE, containerId(mark, record.attempt)), clock);
  }
}

async function endAll(pids: () => number[], clock: Clock): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    for (const pid of pids()) {
      signalGroup(pid, signal);
      signalProcess(pid, signal);
    }
    const until = clock.monotonic() + GRACE_MS;
    while (pids().length > 0 && clock.monotonic() < until) await delay(clock, POLL_MS);
  }
}
