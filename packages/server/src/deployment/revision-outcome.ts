import type { UserDeployment } from '../kubernetes/user-deployment.ts';
import type { DeploymentRow } from './deployment-row.ts';
import type { SettledOutcome } from './revision-repository.ts';
import { revisionOf } from './to-resource.ts';

export interface SeenOutcome extends SettledOutcome {
  /** Which service or job stopped it. */
  service?: string | undefined;
  /** The same for every revision that wants the same version: a new title does not stop an update again. */
  occurrence: string;
}

/** What became of the revision that the row is at, as far as its resource tells. What it says of an older one counts for nothing. */
export function seenOutcome(row: DeploymentRow, resource: UserDeployment): SeenOutcome | undefined {
  const update = resource.status?.update;
  if (!update || update.generation !== resource.metadata.generation) return undefined;
  if (row.desired === 'deleted' || revisionOf(resource) !== row.revision) return undefined;
  const occurrence = `${update.specHash ?? update.generation} ${update.since}`;
  if (update.state === 'stopped') {
    return { outcome: 'failed', message: update.message, service: update.service, occurrence };
  }
  const waits = update.state === 'paused' && update.servingRevision !== undefined;
  return update.state === 'progressing' || waits ? undefined : { outcome: 'running', occurrence };
}
