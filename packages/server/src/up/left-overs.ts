import { readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isRunning, type ProcessIdentity, signalProcess, waitForEnd } from '../processes/process-identity.ts';
import { readJsonFile } from './json-file.ts';

export interface Patience {
  onTheirOwnMs: number;
  afterTermMs: number;
  afterKillMs: number;
}

const PATIENCE: Patience = { onTheirOwnMs: 30_000, afterTermMs: 10_000, afterKillMs: 5_000 };

/**
 * Processes of a Berth whose supervisor was killed. They notice and stop by themselves, workloads and all; whoever has not
 * done so in time is ended. Only then may a new set start on the same data.
 */
export async function endLeftOvers(
  runDirectory: string,
  say: (sentence: string) => void,
  patience: Patience = PATIENCE,
): Promise<void> {
  const records = readdirSync(runDirectory).filter((file) => file.endsWith('.json'));
  await Promise.all(records.map((file) => endLeftOver(join(runDirectory, file), say, patience)));
}

async function endLeftOver(file: string, say: (sentence: string) => void, patience: Patience): Promise<void> {
  const process = readJsonFile(file) as ProcessIdentity | undefined;
  if (process && isRunning(process)) {
    const name = basename(file, '.json');
    say(`waiting for the ${name} of an earlier start (process ${process.pid}) to stop`);
    if (!(await ended(process, patience))) {
      throw new Error(`the ${name} of an earlier start, process ${process.pid}, does not stop: end it by hand`);
    }
  }
  rmSync(file, { force: true });
}

async function ended(process: ProcessIdentity, patience: Patience): Promise<boolean> {
  if (await waitForEnd(process, patience.onTheirOwnMs)) return true;
  if (!signalProcess(process, 'SIGTERM') || (await waitForEnd(process, patience.afterTermMs))) return true;
  return !signalProcess(process, 'SIGKILL') || (await waitForEnd(process, patience.afterKillMs));
}
