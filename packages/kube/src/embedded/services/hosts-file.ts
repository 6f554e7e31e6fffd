import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/** One Service as the runtime of an image looks it up: see the README, "Names". */
export interface HostsEntry {
  addresses: string[];
  /** Service port -> port that listens, only where the node could not listen on the Service's own. */
  ports?: Record<string, number>;
  /** Where those ports listen, when not at the Service's own address. */
  via?: string;
}

/** Replaced whole, so that a reader never sees half of it, and only when it differs. */
export function writeHostsFile(file: string, services: Map<string, HostsEntry>): void {
  const sorted = Object.fromEntries([...services].sort(([a], [b]) => (a < b ? -1 : 1)));
  const text = `${JSON.stringify({ services: sorted }, undefined, 1)}\n`;
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  writeFileSync(`${file}.new`, text, { mode: 0o644 });
  renameSync(`${file}.new`, file);
}
