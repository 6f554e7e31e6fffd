import type { Controller } from '../../client/controller.ts';
import { createCronJobController } from './cron-job/cron-job-controller.ts';
import { createDeploymentController } from './deployment/deployment-controller.ts';
import { createEndpointSliceController } from './endpoint-slice/endpoint-slice-controller.ts';
import { createEventExpiry } from './event-expiry.ts';
import { createGarbageCollector } from './garbage-collector/garbage-collector.ts';
import { createJobController, type JobContext } from './job/job-controller.ts';
import { createNamespaceController } from './namespace/namespace-controller.ts';
import { createReplicaSetController } from './replica-set/replica-set-controller.ts';
import { createServiceAccountController } from './service-account/service-account-controller.ts';
import { createClaimController, type VolumeContext } from './volume/claim-controller.ts';
import { createVolumeController } from './volume/volume-controller.ts';

/** All builtin controllers, started and stopped as one: what kube-controller-manager is to a real cluster. */
export interface Controllers {
  start(): Promise<void>;
  ready(): boolean;
  stop(): Promise<void>;
}

export function createControllers(context: VolumeContext & JobContext): Controllers {
  const collector = createGarbageCollector(context);
  const expiry = createEventExpiry(context);
  const controllers: Controller[] = [
    createNamespaceController(context),
    createServiceAccountController(context),
    createDeploymentController(context),
    createReplicaSetController(context),
    createJobController(context),
    createCronJobController(context),
    createEndpointSliceController(context),
    createClaimController(context),
    createVolumeController(context),
    collector.controller,
  ];
  return {
    async start() {
      await collector.discover();
      await Promise.all(controllers.map((controller) => controller.start()));
      expiry.start();
    },
    ready: () => controllers.every((controller) => controller.ready()),
    async stop() {
      await Promise.all([expiry.stop(), ...controllers.map((controller) => controller.stop())]);
    },
  };
}
