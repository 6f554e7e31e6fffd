import { BerthError } from '@berth/core/errors';
import type { Queryable } from '../db/database.ts';
import { findById } from '../deployment/deployment-repository.ts';
import type { DeploymentView } from '../deployment/deployment-row.ts';

export async function loadDeployment(queryable: Queryable, id: string): Promise<DeploymentView> {
  const deployment = await findById(queryable, id);
  if (deployment) return deployment;
  // It went between the check of the rights and now.
  throw new BerthError('not_found', 'There is no such deployment, or you may not see it.');
}
