import { readFileSync } from 'node:fs';

/** What a file of ours, or of npm's, holds. */
export function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, 'utf8')) as T;
}
