import { LABELS } from '@berth/core/user-deployment';
import type { KubeClient } from '@berth/kube/client/client';
import { DEPLOYMENT, JOB, POD } from '@berth/kube/schema/resources';
import type { Deployment, Pod } from '../kinds.ts';
import type { Subject } from './operator-scene.ts';

/** Pods that nobody runs, in whatever state a test wants. */
export interface MadeUpPods {
  /** One of the template that the service's Deployment has now. */
  make(service: string, name: string, status: NonNullable<Pod['status']>): Promise<void>;
  /** Kubernetes' controllers say this of the service's Deployment. */
  sayOfDeployment(service: string, status: NonNullable<Deployment['status']>): Promise<void>;
  /** The only Job of this name's beginning ends so. */
  endJob(job: string, type: 'Complete' | 'Failed'): Promise<void>;
  remove(name: string): Promise<void>;
}

export const CRASHING: NonNullable<Pod['status']> = {
  phase: 'Running',
  containerStatuses: [
    {
      name: 'web',
      image: 'a',
      ready: false,
      restartCount: 2,
      state: { waiting: { reason: 'CrashLoopBackOff' } },
      lastState: { terminated: { exitCode: 1, reason: 'Error' } },
    },
  ],
};

export function madeUpPods(client: KubeClient, subject: Subject): MadeUpPods {
  const { namespace } = subject;
  const labelSelector = `${LABELS.deployment}=${subject.name}`;
  const toStatus = { subresource: 'status' } as const;
  return {
    async make(service, name, status) {
      const deployment = await client.get<Deployment>(DEPLOYMENT, { name: `${subject.name}-${service}`, namespace });
      const { metadata, spec } = deployment.spec.template as { metadata: object; spec: object };
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, name, namespace }, spec };
      await client.create(POD, pod);
      await client.patch(POD, { name, namespace }, { type: 'merge', body: { status } }, toStatus);
    },
    async sayOfDeployment(service, status) {
      const at = { name: `${subject.name}-${service}`, namespace };
      const { metadata } = await client.get<Deployment>(DEPLOYMENT, at);
      const body = { status: { observedGeneration: metadata.generation, ...status } };
      await client.patch(DEPLOYMENT, at, { type: 'merge', body }, toStatus);
    },
    async endJob(job, type) {
      const { items } = await client.list(JOB, {
        namespace,
        labelSelector: `${labelSelector},${LABELS.service}=${job}`,
      });
      const open = items.find(({ status }) => !(status as { conditions?: object[] } | undefined)?.conditions?.length);
      if (!open) throw new Error(`there is no open run of ${job}`);
      const at = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
      const conditions = [
        { type: type === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget', status: 'True', lastTransitionTime: at },
        { type, status: 'True', reason: 'Test', lastTransitionTime: at, lastProbeTime: at },
      ];
      const counts = type === 'Complete' ? { succeeded: 1, completionTime: at } : { failed: 1 };
      const body = { status: { startTime: at, ...counts, conditions } };
      await client.patch(JOB, { name: open.metadata.name, namespace }, { type: 'merge', body }, toStatus);
    },
    async remove(name) {
      await client.delete(POD, { name, namespace }, { gracePeriodSeconds: 0 });
    },
  };
}
