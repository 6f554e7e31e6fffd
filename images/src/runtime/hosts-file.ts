import { readFileSync, statSync } from 'node:fs';
import type { ClusterHosts } from './cluster-names.ts';

/** Reads the node's hosts file again whenever it changed. The node replaces it whole, so a reader never sees half of one. */
export function openHostsFile(path: string): () => ClusterHosts {
  let stamp = '';
  let hosts: ClusterHosts = { services: {} };
  return () => {
    try {
      const { mtimeMs, ino, size } = statSync(path);
      const now = `${mtimeMs}:${ino}:${size}`;
      if (now !== stamp) {
        hosts = JSON.parse(readFileSync(path, 'utf8')) as ClusterHosts;
        stamp = now;
      }
    } catch (error) {
      // The last good answer serves better than none while the node is being replaced.
      if (stamp === '') console.error(`cannot read the cluster's hosts file ${path}: ${String(error)}`);
    }
    return hosts;
  };
}
