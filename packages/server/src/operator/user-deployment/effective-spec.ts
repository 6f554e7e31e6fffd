import { exposureProblems, type UpdateStatus, type UserDeploymentSpec } from '@berth/core/user-deployment';
import type { LastGood } from './last-good.ts';

/**
 * Which spec the children are built from, and how far the wanted version is what runs:
 *
 *     unreadable    the wanted spec breaks a rule: nothing changes (a stopped update still goes back to what was good)
 *     first         no version has been good yet
 *     complete      the wanted version is the last good one
 *     progressing   it is not, and is on its way
 *     stopped       it was tried and its pods did not become ready: the last good version is built instead
 *     paused        `spec.paused`: the last good version is built instead, and changes wait
 *
 * Of a version that is brought back or kept, the deployment still stops and starts as it is wanted now.
 */
export interface Course {
  state: 'unreadable' | 'first' | UpdateStatus['state'];
  /** Undefined when nothing is to change. */
  spec: UserDeploymentSpec | undefined;
}

export interface CourseInput {
  /** Undefined while it breaks a rule. */
  wanted: UserDeploymentSpec | undefined;
  specHash: string | undefined;
  lastGood: LastGood | undefined;
  /** As the status has it. */
  update: UpdateStatus | undefined;
}

export function courseOf({ wanted, specHash, lastGood, update }: CourseInput): Course {
  if (!wanted) {
    const goesBack = update?.state === 'stopped' && lastGood !== undefined;
    return { state: 'unreadable', spec: goesBack ? lastGood.spec : undefined };
  }
  if (!lastGood) return { state: 'first', spec: wanted };
  if (specHash === lastGood.specHash) return { state: wanted.paused ? 'paused' : 'complete', spec: wanted };
  const kept = () => keptSpec(lastGood.spec, wanted);
  if (update?.state === 'stopped' && update.specHash === specHash) return { state: 'stopped', spec: kept() };
  if (wanted.paused) return { state: 'paused', spec: kept() };
  return { state: 'progressing', spec: wanted };
}

/** True while the children are those of another version than the wanted one. */
export function isKept(course: Course, wanted: UserDeploymentSpec | undefined): boolean {
  return course.spec !== undefined && course.spec !== wanted;
}

function keptSpec(good: UserDeploymentSpec, wanted: UserDeploymentSpec): UserDeploymentSpec {
  const { services, jobs, secretKeys, secretVersion, restartedAt } = good;
  return { ...wanted, services, jobs, secretKeys, secretVersion, restartedAt, exposure: keptExposure(good, wanted) };
}

/**
 * The platform grants hosts by the wanted spec, so addresses follow it even now. One that leads to what the good version does
 * not have leads where it led, or waits.
 */
function keptExposure(good: UserDeploymentSpec, wanted: UserDeploymentSpec): UserDeploymentSpec['exposure'] {
  const before = new Map((good.exposure ?? []).map((each) => [each.host, each]));
  return wanted.exposure?.flatMap((each) => {
    if (exposureProblems(each, good.services).length === 0) return [each];
    return before.get(each.host) ?? [];
  });
}
