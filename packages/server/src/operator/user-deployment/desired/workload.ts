import type { Job } from '@berth/core/job';
import type { Service } from '@berth/core/service';
import type { UserDeploymentSpec } from '@berth/core/user-deployment';

/** A container with all that it needs: a service, or a job, which has neither ports nor probes nor volumes. */
export type Workload = Pick<Job, 'name' | 'image' | 'command' | 'args' | 'env' | 'files' | 'resources' | 'dependsOn'> &
  Partial<Pick<Service, 'ports' | 'probes' | 'metrics' | 'volumes' | 'stopGraceSeconds' | 'restartedAt'>>;

export function workloadsOf({ services, jobs = [] }: Pick<UserDeploymentSpec, 'services' | 'jobs'>): Workload[] {
  return [...services, ...jobs];
}
