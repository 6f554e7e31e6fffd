import { open } from 'node:fs/promises';
import type { Clock } from '../../../client/clock.ts';
import { KubeError } from '../../../schema/status.ts';
import type { LogRequest } from '../../api/node-agent.ts';
import type { ContainerRecord } from '../process/container-record.ts';
import type { ContainerLog } from './container-log.ts';
import { followLog } from './follow-log.ts';
import { limit, print, readLog } from './read-log.ts';

const FOLLOW_POLL_MS = 100;

/**
 * Which attempt a request means. As by a kubelet, the previous one is the one whose end the status calls its last state: while a
 * container waits to be started again, that is the very one that ran last.
 */
export function attemptToRead(
  record: ContainerRecord | undefined,
  waits: boolean,
  { previous, container, pod }: Pick<LogRequest, 'previous' | 'container' | 'pod'>,
): number {
  const where = `container "${container}" in pod "${pod}"`;
  const last = record?.phase === 'exited' && waits ? record.attempt : (record?.attempt ?? 0) - 1;
  if (previous && last < 0) throw new KubeError(400, 'BadRequest', `previous terminated ${where} not found`);
  if (!record) throw new KubeError(400, 'BadRequest', `${where} is waiting to start`);
  return previous ? last : record.attempt;
}

export interface LogReading {
  log: ContainerLog;
  attempt: number;
  request: LogRequest;
  clock: Clock;
  pump: () => void;
  isLive: () => boolean;
}

/** What the request selects of what there is, then what comes, as long as it follows. */
export async function* containerLogs(reading: LogReading): AsyncIterable<Uint8Array> {
  yield* limit(readAndFollow(reading), reading.request.limitBytes);
}

async function* readAndFollow({ log, attempt, request, clock, ...reading }: LogReading): AsyncIterable<Buffer> {
  const files = log.files(attempt);
  if (!request.follow) return yield* readLog(files, { ...request, now: clock.now() });
  const current = files.at(-1);
  // The place where following begins is fixed before reading, so that nothing is missed or told twice.
  const handle = current ? await open(current, 'r') : undefined;
  const offset = handle ? (await handle.stat()).size : 0;
  yield* readLog(files, { ...request, now: clock.now(), endOfLast: offset });
  const isLive = (): boolean => {
    const live = reading.isLive();
    reading.pump();
    return live;
  };
  const file = current ?? log.currentFile(attempt);
  const { signal, timestamps } = request;
  const follow = followLog({ file, from: handle, offset, isLive, pollMs: FOLLOW_POLL_MS, clock, signal });
  yield* print(follow, timestamps);
}
