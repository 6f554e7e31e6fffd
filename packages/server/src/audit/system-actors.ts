/**
 * Work that no person asked for by a request runs as one of these, by name, so that the log says who did it and a reader
 * of the code sees what it may touch.
 */
export const SYSTEM_ACTORS = {
  /** Brings rows to the cluster: reads deployments and secrets' versions, writes the outbox. */
  applier: 'system:applier',
  /** Writes what it saw of the cluster to the rows; adopts and removes rows for resources made or deleted with kubectl. */
  observer: 'system:observer',
  /** Reads secrets of one namespace with that namespace's credential. */
  delivery: 'system:delivery',
  /** A person at the machine's command line. */
  administration: 'system:administration',
} as const;
export type SystemActor = (typeof SYSTEM_ACTORS)[keyof typeof SYSTEM_ACTORS];
