import { isScheduled } from '@berth/core/job';
import { volumeClaimName } from '@berth/core/names';
import type { UserDeploymentSpec } from '@berth/core/user-deployment';
import type { Child, Owner } from './child.ts';
import { configMapOf } from './config-map.ts';
import { deploymentOf } from './deployment.ts';
import { externalSecretOf } from './external-secret.ts';
import { type IngressOptions, ingressOf } from './ingress.ts';
import { cronJobOf, jobOf } from './job.ts';
import { networkPoliciesOf } from './network-policy.ts';
import type { PodOptions } from './pod-template.ts';
import { serviceOf } from './service.ts';
import { volumeClaimOf } from './volume-claim.ts';
import { workloadsOf } from './workload.ts';

export interface Wanted {
  owner: Owner;
  spec: UserDeploymentSpec;
  /** Of the version that this is. */
  specHash: string;
  /** While this version replaces another, that one: what its pods still need is wanted too. */
  before?: UserDeploymentSpec | undefined;
  /** Of the values in the store, which are the newest whatever version runs. */
  secretVersion: string | undefined;
  grantedHosts: readonly string[];
  /** What each claim that exists asks for, by name. */
  claimSizes: ReadonlyMap<string, string>;
  /** Of the pods of each Deployment that stands, by the name of its service. */
  templateHashes: ReadonlyMap<string, string>;
  options: ChildOptions;
}

export type ChildOptions = IngressOptions & PodOptions;

/**
 * Everything that a deployment wants, in the order in which it is made: isolation before anything runs, what pods need
 * before pods, the public address last.
 */
export function desiredChildren(wanted: Wanted): Child[] {
  const { owner, spec, specHash, before, secretVersion, grantedHosts, claimSizes, templateHashes, options } = wanted;
  const { services, jobs = [], exposure = [] } = spec;
  const workloads = workloadsOf(spec);
  const earlier = new Map((before ? workloadsOf(before) : []).map((workload) => [workload.name, workload]));
  const earlierService = (name: string) => before?.services.find((service) => service.name === name);
  const children = [
    ...networkPoliciesOf(owner, spec, before),
    ...services.flatMap((service) =>
      (service.volumes ?? []).map((volume) => {
        const currentSize = claimSizes.get(volumeClaimName(owner.name, service.name, volume.name));
        return volumeClaimOf(owner, { service, volume, currentSize });
      }),
    ),
    ...workloads.map((workload) => configMapOf(owner, workload)),
    ...workloads.map((workload) =>
      externalSecretOf(owner, workload, { before: earlier.get(workload.name), secretVersion }),
    ),
    ...services.map((service) => serviceOf(owner, service, earlierService(service.name))),
    ...jobs.map((job) =>
      isScheduled(job) ? cronJobOf(owner, job, { spec, options }) : jobOf(owner, job, { spec, specHash, options }),
    ),
    ...services.map((service) =>
      deploymentOf(owner, service, { spec, options, standingHash: templateHashes.get(service.name) }),
    ),
    ingressOf(owner, { exposure, grantedHosts, options }),
  ];
  return children.filter((child) => child !== undefined);
}
