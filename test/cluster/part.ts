import type { Built } from './build.ts';
import type { Cluster } from './cluster.ts';

/** One program of a cluster that runs for as long as the cluster does. */
export interface Part {
  name: string;
  /** The file that runs, without its folder: how its process is told from others with the same mark. */
  program: string;
  command: string[];
  environment?: Record<string, string>;
  /** Empty for a program of the machine, which is asked. */
  version: string;
  /** Answers with 200 once the part works; without one a part that runs is taken to work. */
  health?: string;
  /** What the cluster cannot be called ready without hangs on it, so it starts before the others. */
  first?: true;
  /** It would give up without the definitions that `up` makes. */
  needsDefinitions?: true;
  /** Shown beside its name: what it is for, where that is not plain. */
  note?: string;
}

export interface PartInputs {
  cluster: Cluster;
  built: Built;
}
