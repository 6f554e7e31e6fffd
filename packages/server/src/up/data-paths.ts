import { accessSync, chmodSync, constants, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** What lies where in the data directory. */
export interface DataPaths {
  root: string;
  lock: string;
  /** Written once everything is ready: how to reach this Berth. */
  berthFile: string;
  ports: string;
  keys: string;
  kubeconfig: string;
  logs: string;
  /** Pid and start time of each process. */
  run: string;
}

export function dataPaths(root: string): DataPaths {
  return {
    root,
    lock: join(root, 'lock.json'),
    berthFile: join(root, 'berth.json'),
    ports: join(root, 'ports.json'),
    keys: join(root, 'keys'),
    kubeconfig: join(root, 'kubeconfig'),
    logs: join(root, 'logs'),
    run: join(root, 'run'),
  };
}

export function makeDataDirectory(root: string): DataPaths {
  const paths = dataPaths(root);
  try {
    if (!existsSync(root)) {
      mkdirSync(root, { recursive: true });
      // Root's database and apps run as other users, who must be able to pass through but not to look around.
      chmodSync(root, process.getuid?.() === 0 ? 0o711 : 0o700);
    }
    for (const path of [paths.keys, paths.logs, paths.run]) mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(root, constants.W_OK);
  } catch (cause) {
    throw new Error(`${root} cannot hold Berth's data: ${reason(cause)}. Choose another folder with --data DIR`, {
      cause,
    });
  }
  return paths;
}

const REASONS: Record<string, string> = {
  ENOTDIR: 'it, or what it lies in, is a file',
  EEXIST: 'it, or what it lies in, is a file',
  EACCES: 'you may not write there',
  EPERM: 'you may not write there',
  EROFS: 'it is on a disk that can only be read',
  ENOSPC: 'the disk is full',
};

function reason(cause: unknown): string {
  return REASONS[(cause as NodeJS.ErrnoException).code ?? ''] ?? String(cause);
}
