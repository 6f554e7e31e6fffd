import type { KubeClient } from '@berth/kube/client/client';
import { USER_DEPLOYMENT } from '../../kubernetes/resource-types.ts';
import type { RunningOperator, Subject } from './operator-scene.ts';
import type { Write } from './recording-client.ts';
import { until } from './until.ts';

/** What the operator writes, once it is quiet, when it is made to look at the subject twice. */
export async function writesOfLooks(
  client: KubeClient,
  operator: RunningOperator,
  { name, namespace }: Subject,
): Promise<Write[]> {
  const { writes } = operator.client;
  await until('quiet', async () => {
    const count = writes.length;
    await pause(300);
    return writes.length === count;
  });
  const from = writes.length;
  for (const touched of ['1', '2']) {
    const body = { metadata: { annotations: { touched } } };
    await client.patch(USER_DEPLOYMENT, { name, namespace }, { type: 'merge', body });
    await pause(250);
  }
  return writes.slice(from);
}

/** Nothing tells that nothing was written: it can only be looked for long enough. */
function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
