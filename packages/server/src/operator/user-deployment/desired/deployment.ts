import { serviceObjectName } from '@berth/core/names';
import { READY_WITHIN_SECONDS, type Service } from '@berth/core/service';
import type { UserDeploymentSpec } from '@berth/core/user-deployment';
import { DEPLOYMENT } from '@berth/kube/schema/resources';
import { type Child, makeChild, type Owner, selectorLabels } from './child.ts';
import { podTemplateOf, type TemplateInput } from './pod-template.ts';

const REVISIONS_KEPT = 3;
/** Longer than any pod may take, so that a pod that is late is blamed before the whole is. */
const PROGRESS_SECONDS = 600;
/** Without a readiness probe a pod is ready as soon as it runs: it has to go on running for so long before it counts. */
const PROVEN_SECONDS = 10;

export function replicasOf(spec: Pick<UserDeploymentSpec, 'desired'>, service: Service): number {
  return spec.desired === 'stopped' ? 0 : (service.replicas ?? 1);
}

export function deploymentOf(owner: Owner, service: Service, input: Omit<TemplateInput, 'restartPolicy'>): Child {
  const { spec } = input;
  return makeChild(owner, DEPLOYMENT, {
    name: serviceObjectName(owner.name, service.name),
    service: service.name,
    body: {
      spec: {
        replicas: replicasOf(spec, service),
        revisionHistoryLimit: REVISIONS_KEPT,
        ...(service.probes?.readiness === undefined && { minReadySeconds: PROVEN_SECONDS }),
        progressDeadlineSeconds: PROGRESS_SECONDS + (service.readyWithinSeconds ?? READY_WITHIN_SECONDS),
        strategy: strategyOf(service),
        selector: { matchLabels: selectorLabels(owner, service.name) },
        template: podTemplateOf(owner, service, input),
      },
    },
  });
}

/** A volume is mounted by one pod at a time, so the old pod goes before the new one comes; else the new one comes first. */
function strategyOf(service: Service): Record<string, unknown> {
  if (service.volumes?.length) return { type: 'Recreate' };
  return { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } };
}
