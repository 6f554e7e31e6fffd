import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { startPostgres } from '@berth/kube/testing/postgres';
import { berthAt, testFolder } from '../../support/berth.ts';
import { type Row, timed, timeRow } from './row.ts';

/**
 * `up` on an empty folder and on one that was used, until it says that it is ready. The bare baseline is what nobody can do without: making a
 * database and starting it, and one Node program.
 */
export async function measureStart({ main, port }: { main: string; port: number }): Promise<Row[]> {
  const folder = testFolder('berth-bench-start-');
  const berth = berthAt({ main, data: join(folder, 'data'), port });
  try {
    const cold = await timed(() => berth.start());
    await berth.stop();
    const warm = await timed(() => berth.start());
    await berth.stop();
    const database = await timed(async () => (await startPostgres()).stop());
    const program = await timed(startAndEndNode);
    return [
      timeRow('cold start', cold, ['initdb, PostgreSQL and a Node program', database + program]),
      timeRow('warm start', warm, ['a Node program', program]),
    ];
  } finally {
    await berth.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function startAndEndNode(): Promise<void> {
  return new Promise((resolve, reject) => {
    spawn(process.execPath, ['-e', 'require("node:http").createServer().listen(0, () => process.exit())'])
      .once('error', reject)
      .once('exit', () => resolve());
  });
}
