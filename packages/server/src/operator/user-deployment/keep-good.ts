import { isScheduled } from '@berth/core/job';
import { ANNOTATIONS, OPERATOR_MANAGER } from '@berth/core/user-deployment';
import type { KubeClient } from '@berth/kube/client/client';
import { controllerOf, deleteExactly } from '@berth/kube/client/owner';
import { CONTROLLER_REVISION } from '@berth/kube/schema/resources';
import { isKubeError } from '@berth/kube/schema/status';
import { deploymentFor, hostsClaimed, routeServed } from './checks.ts';
import type { Decision } from './decide.ts';
import { runState } from './job-run.ts';
import { type ControllerRevision, type LastGood, lastGoodObject } from './last-good.ts';
import { isProven } from './readiness.ts';
import type { Situation } from './situation.ts';
import type { StillThere } from './still-there.ts';

/** An address that is not granted, or not yet moved, says nothing about the version. */
const NO_FAULT_OF_THE_VERSION = [hostsClaimed.name, routeServed.name];

/** Is all of the wanted version ready at once? Then it is what a later update goes back to. */
export function isGood(situation: Situation, decision: Decision): boolean {
  const { course, spec } = situation;
  if (!spec || spec.desired === 'stopped' || (course.state !== 'first' && course.state !== 'progressing')) return false;
  if (decision.apply.length > 0) return false;
  const faults = [...decision.objections].filter(([check]) => !NO_FAULT_OF_THE_VERSION.includes(check));
  if (faults.some(([, objections]) => objections.some(({ holds }) => holds.what !== 'nothing'))) return false;
  const jobs = (spec.jobs ?? []).filter((job) => !isScheduled(job));
  return (
    jobs.every((job) => runState(situation, job) === 'Succeeded') &&
    spec.services.every((service) => {
      const deployment = deploymentFor(situation, service.name);
      // A service of no pods is not made, or waits for nothing.
      return deployment ? isProven(deployment) : service.replicas === 0;
    })
  );
}

interface KeepDependencies {
  client: Pick<KubeClient, 'patch' | 'delete' | 'create' | 'get'>;
  stillThere: StillThere;
  signal: AbortSignal;
  versions: readonly ControllerRevision[];
}

/** Records the wanted version as the last good one and forgets the others. */
export async function keepGood(situation: Situation, dependencies: KeepDependencies): Promise<LastGood> {
  const { owner, userDeployment, wanted, specHash } = situation;
  if (!wanted || specHash === undefined) throw new Error('a spec that cannot be read is not good');
  const { client, stillThere, signal, versions } = dependencies;
  const object = lastGoodObject(owner, userDeployment, { spec: wanted, specHash });
  await stillThere();
  signal.throwIfAborted();
  const before = versions.find(({ metadata }) => metadata.name === object.metadata.name);
  if (before) await rewrite(client, object, { before, signal });
  else await make(client, object, signal);
  for (const old of versions.filter((each) => each !== before)) {
    signal.throwIfAborted();
    await deleteExactly(client, CONTROLLER_REVISION, { object: old, unchanged: true, signal });
  }
  return { spec: wanted, specHash, revision: object.metadata.annotations?.[ANNOTATIONS.revision], object };
}

/** The wanted version is good, and known under an older revision, or there are more records than one. */
export function isBehind({ lastGood, specHash, userDeployment }: Situation, versions: readonly unknown[]): boolean {
  if (!lastGood || lastGood.specHash !== specHash) return false;
  const revision = userDeployment.metadata.annotations?.[ANNOTATIONS.revision];
  return versions.length > 1 || (revision !== undefined && revision !== lastGood.revision);
}

/** The copy may not know yet what the last look has made. */
async function make(
  client: KeepDependencies['client'],
  object: ControllerRevision,
  signal: AbortSignal,
): Promise<void> {
  try {
    await client.create(CONTROLLER_REVISION, object, { fieldManager: OPERATOR_MANAGER, signal });
  } catch (error) {
    if (!isKubeError(error, 'AlreadyExists')) throw error;
    const { name, namespace = '' } = object.metadata;
    const present = await client.get(CONTROLLER_REVISION, { name, namespace }, { signal });
    if (controllerOf(present)?.uid !== controllerOf(object)?.uid) throw error;
  }
}

/** The data stays byte for byte as it was made: a cluster takes nothing else, not even the same in another order, as an apply would write it. */
async function rewrite(
  client: Pick<KubeClient, 'patch'>,
  { metadata: { labels, annotations }, revision }: ControllerRevision,
  { before, signal }: { before: ControllerRevision; signal: AbortSignal },
): Promise<void> {
  const { name, namespace, uid, resourceVersion } = before.metadata;
  const at = { name, ...(namespace !== undefined && { namespace }) };
  const body = { metadata: { uid, resourceVersion, labels, annotations }, revision };
  await client.patch(CONTROLLER_REVISION, at, { type: 'merge', body }, { fieldManager: OPERATOR_MANAGER, signal });
}
