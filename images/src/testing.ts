import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildImage } from '../../scripts/images.mjs';

/** Makes an image as the build does, so that tests run what ships; returns its program. */
export function bundleProgram(name: string, directory: string): Promise<string> {
  return buildImage(name, directory);
}

export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'berth-images-'));
  chmodSync(directory, 0o755);
  return directory;
}

export const NOBODY = 65_534;

/** Runs a program with only the given environment; as root, as nobody. */
export function startProgram(
  file: string,
  environment: Record<string, string>,
  parameters: string[] = [],
): StartedProgram {
  const identity = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const child = spawn(process.execPath, [file, ...parameters], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...identity,
  });
  const output: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(String(chunk)));
  child.stderr.on('data', (chunk: Buffer) => output.push(String(chunk)));
  const exit = new Promise<number | undefined>((resolve) => child.once('exit', (code) => resolve(code ?? undefined)));
  return { child, exit, output: () => output.join('') };
}

export interface StartedProgram {
  child: ChildProcess;
  exit: Promise<number | undefined>;
  output: () => string;
}

/** A folder that the program may write to. */
export function ownFolder(path: string): string {
  mkdirSync(path, { recursive: true });
  if (process.getuid?.() === 0) chownSync(path, NOBODY, NOBODY);
  return path;
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== 'object' || !address) throw new Error('no free port');
  return address.port;
}

export async function eventually<T>(attempt: () => Promise<T>, milliseconds = 10_000): Promise<T> {
  const deadline = performance.now() + milliseconds;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
