import { type Condition, findCondition } from '@berth/core/conditions';
import type { UpdateStatus } from '@berth/core/user-deployment';
import type { KubeClient } from '@berth/kube/client/client';
import { DEPLOYMENT } from '@berth/kube/schema/resources';
import type { Deployment } from '../kinds.ts';
import { type MadeUpPods, madeUpPods } from './made-up-pods.ts';
import { type Subject, subjectOf } from './operator-scene.ts';
import { until } from './until.ts';

/** A subject whose updates are looked at. */
export interface UpdatingSubject extends Subject {
  pods: MadeUpPods;
  update(): Promise<UpdateStatus | undefined>;
  /** Waits until the status says this of the generation. */
  reaches(state: UpdateStatus['state'], generation: number): Promise<UpdateStatus>;
  condition(type: string): Promise<Condition | undefined>;
  deployment(service?: string): Promise<Deployment | undefined>;
  imageOf(service?: string): Promise<string | undefined>;
  /** Waits until the service's Deployment has it. */
  hasImage(image: string, service?: string): Promise<unknown>;
}

export function updatingSubject(client: KubeClient, at: { name: string; namespace: string }): UpdatingSubject {
  const subject = subjectOf(client, at);
  const status = async () => (await subject.read())?.status;
  const deployment = (service = 'web') => subject.get<Deployment>(DEPLOYMENT, `${at.name}-${service}`);
  const imageOf = async (service?: string) => (await deployment(service))?.spec.template?.spec?.containers?.[0]?.image;
  return {
    ...subject,
    pods: madeUpPods(client, subject),
    update: async () => (await status())?.update,
    reaches: (state, generation) =>
      until(`update ${state}`, async () => {
        const found = (await status())?.update;
        return found?.state === state && found.generation === generation && found;
      }),
    condition: async (type) => findCondition((await status())?.conditions, type),
    deployment,
    imageOf,
    hasImage: (image, service) => until(image, async () => (await imageOf(service)) === image),
  };
}
