import { isScheduled, type Job } from '@berth/core/job';
import { serviceObjectName } from '@berth/core/names';
import type { Service } from '@berth/core/service';
import { DEPLOYMENT } from '@berth/kube/schema/resources';
import type { Check } from './checks.ts';
import { deploymentFor } from './checks.ts';
import { childKey } from './desired/child.ts';
import { replicasOf } from './desired/deployment.ts';
import { mayRun, runState, scheduleFor } from './job-run.ts';
import type { Objection } from './objection.ts';
import { servesNew } from './readiness.ts';
import type { Situation } from './situation.ts';
import { templateHashOf } from './versions.ts';

/**
 * What starts, or gets new pods, waits until what it depends on has new pods that are ready, and until its jobs have
 * succeeded; old pods keep serving meanwhile. Nothing else is ever held for a dependency: neither the repair of what runs nor the
 * way back to the last good version, which has to work when everything is wrong.
 */
export const dependenciesReady: Check = {
  name: 'dependencies ready',
  objections(situation) {
    const { services = [], jobs = [] } = situation.spec ?? {};
    const waiting = [
      ...services.filter((service) => startsAnew(situation, service)),
      ...jobs.filter((job) => (isScheduled(job) ? isScheduledAnew(situation, job) : mayRun(situation, job))),
    ];
    return waiting.flatMap(({ name, dependsOn = [] }): Objection[] => {
      const reasons = dependsOn.flatMap((dependency) => reasonToWait(situation, dependency) ?? []);
      if (reasons.length === 0) return [];
      const failed = reasons.find(({ reason }) => reason === 'JobFailed');
      const message = failed
        ? `${name} waits for ${failed.text}`
        : `${name} starts when ${reasons.map(({ text }) => text).join(' and ')}`;
      return [{ reason: (failed ?? reasons[0])?.reason ?? '', message, holds: { what: 'pods', service: name } }];
    });
  },
};

function startsAnew(situation: Situation, service: Service): boolean {
  const { spec } = situation;
  if (!spec || replicasOf(spec, service) === 0) return false;
  const standing = deploymentFor(situation, service.name);
  if ((standing?.spec.replicas ?? 0) === 0) return true;
  return isOnItsWay(situation) && templateHashOf(standing) !== wantedHash(situation, service.name);
}

function isScheduledAnew(situation: Situation, job: Job): boolean {
  if (situation.spec?.desired === 'stopped') return false;
  return isOnItsWay(situation) || scheduleFor(situation, job) === undefined;
}

function isOnItsWay({ course }: Situation): boolean {
  return course.state === 'progressing' || course.state === 'first';
}

function reasonToWait(situation: Situation, name: string): { reason: string; text: string } | undefined {
  const { spec } = situation;
  const service = spec?.services.find((each) => each.name === name);
  if (spec && service) {
    if (replicasOf(spec, service) === 0) return undefined;
    const standing = deploymentFor(situation, name);
    const isNew = standing !== undefined && templateHashOf(standing) === wantedHash(situation, name);
    if (isNew && servesNew(standing)) return undefined;
    return { reason: 'DependencyNotReady', text: `${name} is ready` };
  }
  const job = spec?.jobs?.find((each) => each.name === name);
  const state = job && runState(situation, job);
  if (state === undefined || state === 'Succeeded') return undefined;
  if (state === 'Failed') return { reason: 'JobFailed', text: `${name}, which failed` };
  return { reason: 'DependencyNotReady', text: `${name} has succeeded` };
}

function wantedHash({ children, owner }: Situation, service: string): string | undefined {
  const key = childKey(DEPLOYMENT, serviceObjectName(owner.name, service));
  return templateHashOf(children.find(({ type, object }) => childKey(type, object.metadata.name) === key)?.object);
}
