import { run } from '../../scripts/steps.mjs';
import type { Cluster } from './cluster.ts';
import type { Part } from './part.ts';
import { findPart, isPartHealthy } from './parts.ts';
import { findHolder, HOLDER } from './sandbox.ts';

export interface PartStatus {
  name: string;
  state: 'works' | 'runs' | 'stopped' | 'ended';
  pid: number | undefined;
  version: string;
  megabytes: number;
  note: string;
}

export async function statusOf(cluster: Cluster, parts: Part[]): Promise<PartStatus[]> {
  const rows = await Promise.all(parts.map((part) => partStatus(cluster, part)));
  if (!cluster.node) return rows;
  const holder = findHolder(cluster);
  const note = holder ? '' : 'gone: everything of the node ended with it; up starts it again';
  const state = holder ? 'works' : 'ended';
  return [
    { name: HOLDER, state, pid: holder?.pid, version: '', megabytes: megabytes(holder?.residentBytes), note },
    ...rows,
  ];
}

async function partStatus(cluster: Cluster, part: Part): Promise<PartStatus> {
  const process = findPart(cluster, part);
  const { name, note = '' } = part;
  const version = part.version || (await versionOf(part.command[0]!));
  const status = { name, version, note, pid: process?.pid, megabytes: megabytes(process?.residentBytes) };
  if (!process) return { ...status, state: 'ended' };
  if (process.stopped) return { ...status, state: 'stopped' };
  return { ...status, state: (await isPartHealthy(cluster, part)) ? 'works' : 'runs' };
}

/** Of a program that Debian brought. */
async function versionOf(program: string): Promise<string> {
  const said = await run(program, ['--version']);
  return /\d+\.\d+[.\d]*/.exec(said)?.[0] ?? '';
}

export function statusTable(rows: PartStatus[]): string {
  const lines = rows.map(({ name, state, pid, version, megabytes: size, note }) =>
    [
      name.padEnd(20),
      state.padEnd(8),
      String(pid ?? '-').padStart(8),
      `${size} MB`.padStart(8),
      version.padEnd(8),
      note,
    ]
      .join('  ')
      .trimEnd(),
  );
  const total = rows.reduce((sum, row) => sum + row.megabytes, 0);
  return [...lines, `${total} MB in all`].join('\n');
}

function megabytes(bytes = 0): number {
  return Math.round(bytes / 1024 / 1024);
}
