import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ContainerTermination } from '../../../schema/kinds/pod.ts';
import { readJson } from '../read-json.ts';
import type { ProcessIdentity } from './process-identity.ts';

/**
 * What the node knows of a container, kept on disk so that the next node knows it too.
 *
 *     starting ── spawned ──> running ── ended ──> exited ── restart: attempt + 1 ──> starting
 *
 * `starting` is written before the process exists. A node that finds it after a crash looks for a process with the attempt's
 * mark in its environment: there is one, and it is adopted, or there is none, and the attempt is begun again.
 */
export interface ContainerRecord {
  /** Counts from 0; `restartCount` in the status. */
  attempt: number;
  phase: 'starting' | 'running' | 'exited';
  /** Of the declaration it was started with: another one means another container. */
  declaration: string;
  image: string;
  process?: ProcessIdentity;
  startedAt?: number;
  finishedAt?: number;
  termination?: ContainerTermination;
  /** How the attempt before ended. */
  previous?: ContainerTermination;
  /** How long the next restart has to wait after the end of this attempt. */
  backoffMs: number;
}

/** Undefined when there is none that can be read: whatever it told of is then found by its mark and ended. */
export function readRecord(file: string): ContainerRecord | undefined {
  const record = readJson(file) as ContainerRecord | undefined;
  return Number.isInteger(record?.attempt) && typeof record?.backoffMs === 'number' ? record : undefined;
}

/** On disk, synced and whole, when this returns. */
export function writeRecord(file: string, record: ContainerRecord): void {
  mkdirSync(dirname(file), { recursive: true });
  const handle = openSync(`${file}.new`, 'w', 0o600);
  try {
    writeSync(handle, JSON.stringify(record));
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(`${file}.new`, file);
}
