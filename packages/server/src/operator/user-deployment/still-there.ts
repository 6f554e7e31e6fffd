import type { KubeClient } from '@berth/kube/client/client';
import { isKubeError, KubeError } from '@berth/kube/schema/status';
import { USER_DEPLOYMENT } from '../../kubernetes/resource-types.ts';
import type { UserDeployment } from '../../kubernetes/user-deployment.ts';
import type { Owner } from './desired/child.ts';

/**
 * Asked before every write, answered by one read per reconcile: is the UserDeployment that the cache shows still there, is
 * it the same one, and is it not going? The cache may be behind by a deletion and a new one of the same name. Throws a
 * Conflict, which means: look again soon.
 *
 * After the read nothing can slip away: our finalizer keeps the resource until this very reconcile's successor, since no two of
 * one key run at once. What is still made when a deletion begins right now, that successor finds by a list and removes.
 */
export type StillThere = () => Promise<UserDeployment>;

/** `fresh` is what the server has answered to a write a moment ago: it needs no read. */
export function createStillThere(
  client: Pick<KubeClient, 'get'>,
  owner: Owner,
  fresh: UserDeployment | undefined,
): StillThere {
  let answer = fresh && Promise.resolve(fresh);
  return () => {
    answer ??= read(client, owner);
    return answer;
  };
}

async function read(client: Pick<KubeClient, 'get'>, owner: Owner): Promise<UserDeployment> {
  const { name, namespace, uid } = owner;
  const current = await client.get<UserDeployment>(USER_DEPLOYMENT, { name, namespace }).catch((error: unknown) => {
    if (isKubeError(error, 'NotFound')) throw outdated(owner, 'is gone', error);
    throw error;
  });
  if (current.metadata.uid !== uid) throw outdated(owner, 'is another one by now');
  if (current.metadata.deletionTimestamp !== undefined) throw outdated(owner, 'is being deleted');
  return current;
}

function outdated({ namespace, name }: Owner, what: string, cause?: unknown): KubeError {
  return new KubeError(409, 'Conflict', `UserDeployment ${namespace}/${name} ${what}`, undefined, cause);
}
